/** The library's suite for providers on its engine, with a real model, which says what it likes. */
import { afterAll, beforeAll, describe, test } from "bun:test";
import { type LocalGguf, localGguf } from "@poppet/chat/local-gguf";
import { describeProvider } from "@poppet/chat/testing";
import { smallModel } from "./small-model.ts";

let local: LocalGguf;
beforeAll(async () => {
  const { path } = await smallModel();
  local = await localGguf({ path, contextWindow: 1024, tools: true, sampling: { temperature: 0 } });
}, 300_000);
afterAll(() => local.close());

describeProvider(
  { kind: "live", tools: true, tooLarge: "word ".repeat(2_000), open: () => ({ provider: local.model }) },
  {
    ...{ name: "L7 a GGUF file, by the suite for providers", patienceMs: 60_000 },
    ...{ describe, test: (name, run) => test(name, run, 120_000) },
  },
);
