import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

test("§7 started as a program, it obeys no file of the folder it is started in", async () => {
  const folder = mkdtempSync(join(tmpdir(), "poppet-hostile-"));
  try {
    writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
    writeFileSync(join(folder, "evil.ts"), 'console.error("code of the folder ran");\n');
    writeFileSync(join(folder, ".env"), "POPPET_CONFIG=/tmp/of-the-folder.toml\nPOPPET_HOME=/tmp/of-the-folder\n");
    const run = Bun.spawn([join(import.meta.dir, "../../src/main.ts"), "config", "path"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
    expect([await run.exited, out, err]).toEqual([0, `${folder}/.config/poppet/config.toml\n`, ""]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
