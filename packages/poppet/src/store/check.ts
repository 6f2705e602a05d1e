/** What `doctor` says of the store. Looks only: it makes no database where there is none. */
import { existsSync } from "node:fs";
import { type Finding, findingText } from "../finding.ts";
import { all } from "./operation.ts";
import { openStore } from "./sqlite.ts";

export async function checkStore(home: string): Promise<readonly Finding[]> {
  const path = `${home}/poppet.db`;
  const subject = "storage";
  if (!existsSync(path)) return [{ ok: true, subject, message: "empty yet; the first message makes it" }];
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
