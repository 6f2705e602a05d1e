import { expect, test } from "bun:test";
import { temporaryFolder } from "../assistant.ts";
import { buildChild } from "./build-child.ts";
import { storm } from "./storm.ts";

const kills = Number(process.env.POPPET_TEST_KILLS ?? 500);
const seed = Number(process.env.POPPET_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));

test(`§8.4 what was accepted and answered survives ${kills} kills (seed ${seed})`, async () => {
  using folder = temporaryFolder();
  const report = await storm({ home: `${folder.path}/home`, child: await buildChild(folder.path), kills, seed });
  console.log(`storm: ${JSON.stringify({ seed, ...report })}`);
  expect(report.kills).toBeGreaterThanOrEqual(kills);
  expect(report.completed).toBeGreaterThan(0);
  expect(report.titles).toBeGreaterThanOrEqual(Math.floor(kills / 100));
}, 3_600_000);
