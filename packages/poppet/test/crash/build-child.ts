/** The storm's process as bytecode, so that most of its life is spent where it can be killed to some purpose. */
export async function buildChild(folder: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [`${import.meta.dir}/storm-child.ts`],
    outdir: `${folder}/child`,
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: true,
    external: ["node-llama-cpp"],
  });
  if (!built.success) throw new Error("the child could not be built");
  return `${folder}/child/storm-child.js`;
}
