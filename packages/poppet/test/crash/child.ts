/**
 * A process that submits one message, names its session after the answer, and can be told to kill itself at a transaction, for the crash tests.
 * Arguments: JSON of ChildOptions. Prints a JSON line for each event and one for the outcome.
 */
import { defineTool } from "@poppet/chat";
import { call, finish, type ScriptedStep, say, scriptedModel } from "@poppet/chat/testing";
import * as v from "valibot";
import { ask, testAssistant } from "../assistant.ts";

export interface ChildOptions {
  readonly home: string;
  readonly text: string;
  readonly session?: string;
  /** `accept:before`, `finish:after`, … */
  readonly dieAt?: string;
  readonly model: "answers" | "hangs" | "asks";
}

const options = JSON.parse(process.argv[2] ?? "{}") as ChildOptions;
const scripts: { readonly [Name in ChildOptions["model"]]: readonly ScriptedStep[] } = {
  answers: [[say("whole"), finish()]],
  hangs: [[say("half"), "hang"]],
  asks: [
    [call("test.look", {}), finish()],
    [say("whole"), finish()],
  ],
};
const look = defineTool({
  ...{ name: "test.look", description: "", input: v.object({}), inputJsonSchema: {} },
  run: async () => "seen",
});
const assistant = await testAssistant({
  home: options.home,
  tools: [look],
  model: scriptedModel(scripts[options.model], { provider: "openai", modelId: "test-model" }),
  store: {
    onWrite(name, moment) {
      if (`${name}:${moment}` === options.dieAt) process.kill(process.pid, "SIGKILL");
    },
  },
});
const { outcome, sessionId } = await ask(assistant, options.text, {
  ...(options.session && { session: options.session }),
  onEvent: (event) => console.log(JSON.stringify(event)),
});
if (outcome.state === "completed") await assistant.nameSession(sessionId, new AbortController().signal);
await assistant.close();
console.log(JSON.stringify({ type: "outcome", ...outcome }));
