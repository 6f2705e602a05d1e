/** What `doctor` says of the store. Looks only: it makes no database where there is none. */
import { accessSync, constants, statSync } from "node:fs";
import { systemCode, systemReason } from "../error.ts";
import { type Finding, findingText } from "../finding.ts";
import { all } from "./operation.ts";
import { databaseFile, openStore } from "./sqlite.ts";

export async function checkStore(home: string): Promise<readonly Finding[]> {
  const path = databaseFile(home);
  const subject = "storage";
  try {
    statSync(path);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return [{ ok: true, subject, message: "no messages yet" }];
    const message = `${path} cannot be reached (${systemReason(thrown)}); put that right, or set POPPET_HOME`;
    return [{ ok: false, subject, message }];
  }
  // SQLite opens what may only be read, and fails at the first message. The files beside a database have its mode when
  // they are made, and keep it.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      accessSync(file, constants.R_OK | constants.W_OK);
    } catch (thrown) {
      if (systemCode(thrown) === "ENOENT") continue;
      const message = `${file} cannot be read and written (${systemReason(thrown)}); make it yours and run: chmod 600 '${file}'`;
      return [{ ok: false, subject, message }];
    }
  }
  try {
    const store = await openStore(path);
    try {
      const [problem] = await store.read(() => all<{ quick_check: string }>("pragma quick_check(1)"));
      const [count] = await store.read(() => all<{ count: number }>("select count(*) as count from session"));
      if (problem?.quick_check !== "ok") {
        const message = `${path} is damaged (${problem?.quick_check}); put a copy of it back, or move it away to start anew`;
        return [{ ok: false, subject, message }];
      }
      return [{ ok: true, subject, message: `${path}, ${count?.count} session${count?.count === 1 ? "" : "s"}` }];
    } finally {
      store.close();
    }
  } catch (thrown) {
    return [{ ok: false, subject, message: findingText(thrown) }];
  }
}
