/**
 * A process that submits one message and can be told to kill itself at a transaction, for the crash tests.
 * Arguments: JSON of ChildOptions. Prints a JSON line for each event and one for the outcome.
 */
import { finish, say, scriptedModel } from "@poppet/chat/testing";
import { ask, testAssistant } from "../assistant.ts";

export interface ChildOptions {
  readonly home: string;
  readonly text: string;
  readonly session?: string;
  /** `accept:before`, `finish:after`, … */
  readonly dieAt?: string;
  readonly model: "answers" | "hangs";
}

const options = JSON.parse(process.argv[2] ?? "{}") as ChildOptions;
const steps = options.model === "hangs" ? [[say("half"), "hang" as const]] : [[say("whole"), finish()]];
const assistant = await testAssistant({
  home: options.home,
  model: scriptedModel(steps, { provider: "openai", modelId: "test-model" }),
  store: {
    onWrite(name, moment) {
      if (`${name}:${moment}` === options.dieAt) process.kill(process.pid, "SIGKILL");
    },
  },
});
const { outcome } = await ask(assistant, options.text, {
  ...(options.session && { session: options.session }),
  onEvent: (event) => console.log(JSON.stringify(event)),
});
await assistant.close();
console.log(JSON.stringify({ type: "outcome", ...outcome }));
