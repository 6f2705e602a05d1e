/**
 * The program with one part of its own: the model servers that `setup` looks for are at the ports in $SERVERS (JSON), so
 * that no test depends on what runs on the machine; and a pull that hangs, so that it can be interrupted.
 */
import { version } from "../../package.json" with { type: "json" };
import { runProgram } from "../../src/cli/start.ts";
import { findServers, type ServerPlace } from "../../src/models/servers.ts";
import { parts } from "../../src/parts.ts";

const places = JSON.parse(process.env.SERVERS ?? "[]") as readonly ServerPlace[];

process.umask(0o077);
const code = await runProgram({
  arguments: process.argv.slice(2),
  env: process.env,
  version,
  parts: {
    ...parts,
    findServers: () => findServers(places, AbortSignal.timeout(2_000)),
    pullModel(_reference, { signal, onProgress }) {
      onProgress({ source: "b", stage: "downloading", received: 1, total: 10, rate: 0, secondsLeft: null });
      // The timer keeps the process alive, as a connection would.
      const alive = setInterval(() => {}, 1_000);
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          clearInterval(alive);
          reject(signal.reason);
        });
      });
    },
  },
});
process.exit(code);
