/**
 * A process that does what it is told, a line of JSON at a time, and answers each with a line: `ok`, or the error's code
 * and message. `{"open": folder}` opens a store there, writes a row and closes it; `{"write": folder, "ms": n}` keeps
 * writing for so long and answers with the number of rows.
 */
import { PoppetError } from "../../src/error.ts";
import { change } from "../../src/store/operation.ts";
import { openStore } from "../../src/store/sqlite.ts";

export type Order = { readonly open: string } | { readonly write: string; readonly ms: number };

const row = () =>
  change("insert into conversation (key, active_at) values ($1, $2)", crypto.randomUUID(), performance.now() | 0);

async function obey(order: Order): Promise<string> {
  if ("open" in order) {
    const store = await openStore(`${order.open}/poppet.db`);
    await store.write("test", row);
    store.close();
    return "ok";
  }
  const store = await openStore(`${order.write}/poppet.db`);
  const end = performance.now() + order.ms;
  let rows = 0;
  for (; performance.now() < end; rows++) await store.write("test", row);
  store.close();
  return String(rows);
}

for await (const line of console) {
  const said = await obey(JSON.parse(line) as Order).catch((thrown: unknown) =>
    PoppetError.isInstance(thrown)
      ? `${thrown.code}: ${thrown.message} (${String((thrown.cause as { code?: unknown })?.code)} ${(thrown.cause as Error)?.stack})`
      : String(thrown),
  );
  console.log(said);
}
