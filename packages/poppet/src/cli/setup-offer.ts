/**
 * Where nothing is configured and a person is there, setup is offered before a message is submitted, so that the same
 * command answers it. Whoever calls this has no reader of its own on stdin meanwhile.
 */
import type { Workload } from "../assistant.ts";
import type { Program } from "./program.ts";

/** The program to go on with: as it was, or with the new settings. Null: the person stopped, and the exit code is set. */
export async function offerSetup(program: Program, workload: Workload): Promise<Program | null> {
  const { stdin, stdout, stderr } = await program.terminal();
  if (!stdin || !stdout || !stderr) return program;
  const { offeredSetup } = await import("./setup/guided.ts");
  const outcome = await offeredSetup(program, workload);
  if (outcome.type === "saved") {
    const { config } = outcome;
    return {
      ...program,
      config: async () => config,
      openAssistant: () => program.parts.openAssistant(config, program.env),
    };
  }
  // Ctrl-D and "no" go on as if nobody had been asked: the message is saved, and its run fails for want of a model.
  if (outcome.type === "declined" || outcome.exitCode === 0) return program;
  program.stderr.write("Stopped; nothing was sent.\n");
  program.process.exitCode = outcome.exitCode;
  return null;
}
