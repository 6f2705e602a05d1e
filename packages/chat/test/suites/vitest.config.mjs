export default { test: { include: ["vitest.mjs"], testTimeout: 60_000 }, cacheDir: "../../../../.cache/vitest" };
