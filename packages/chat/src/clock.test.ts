import { expect, test } from "bun:test";
import { createChat, systemClock } from "./index.ts";
import { finish, say } from "./testing/index.ts";

test("C12 a limit of time that never ends does not end at once", async () => {
  const model = {
    ...{ provider: "p", modelId: "m", supportsTools: false },
    async *stream() {
      await new Promise<void>((resolve) => systemClock.after(20, resolve));
      yield say("ok");
      yield finish();
    },
  };
  const client = createChat({ model, limits: { turnMs: Infinity, requestMs: 2 ** 31 } });
  expect((await client.chat("Hi")).text).toBe("ok");
});

test("C12 what is taken back does not come", async () => {
  let came = 0;
  const takeBack = systemClock.after(0, () => came++);
  takeBack();
  await new Promise<void>((resolve) => systemClock.after(1, resolve));
  expect(came).toBe(0);
});
