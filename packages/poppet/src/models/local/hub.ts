/** Finds a model's file on the Hugging Face hub: its address, size and SHA-256. */
import type { DownloadTarget } from "./download.ts";
import { fetchFirstByte } from "./first-byte.ts";

export const hubUrl = "https://huggingface.co";

export interface HubOptions {
  readonly baseUrl: string;
  readonly signal: AbortSignal;
  /** Until the first byte of an answer. */
  readonly firstByteMs: number;
}

/** What is taken where nobody asked: the best of the small ones, then what is nearest to it. */
const preferred = [
  ...["Q4_K_M", "Q4_K_S", "Q4_K_L", "Q4_1", "Q4_0", "IQ4_NL", "IQ4_XS", "Q5_K_M", "Q5_K_S", "Q5_0"],
  ...["Q6_K", "Q3_K_M", "Q3_K_L", "Q8_0", "Q3_K_S", "IQ3_M", "Q2_K", "BF16", "F16", "F32"],
];

interface HubFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string | null;
}

export async function findOnHub(
  repository: string,
  quant: string | null,
  options: HubOptions,
): Promise<DownloadTarget & { readonly file: string }> {
  const files = (await listFiles(repository, options)).filter(isModel);
  if (files.length === 0) throw new Error(`${repository} has no GGUF file`);
  const file = pick(files, quant);
  if (file === null) {
    const quants = [...new Set(files.map((one) => quantOf(one.path)))].filter((one) => one !== null);
    throw new Error(`${repository} has no file of quantisation ${quant}; it has ${quants.join(", ")}`);
  }
  if (/-\d{5}-of-\d{5}\.gguf$/i.test(file.path)) {
    throw new Error(`${file.path} of ${repository} is one of several parts, which cannot be run here`);
  }
  const url = fileUrl(options.baseUrl, repository, "main", file.path);
  return { url, bytes: file.size, sha256: file.sha256, file: file.path.split("/").at(-1) ?? file.path };
}

export function fileUrl(baseUrl: string, repository: string, revision: string, file: string): string {
  const path = file.split("/").map(encodeURIComponent).join("/");
  return `${baseUrl}/${repository}/resolve/${revision}/${path}`;
}

async function listFiles(repository: string, options: HubOptions): Promise<HubFile[]> {
  const url = `${options.baseUrl}/api/models/${repository}/tree/main?recursive=true`;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.firstByteMs * 4)]);
  const response = await fetchFirstByte(url, {}, { ...options, signal });
  if (response.status === 401 || response.status === 403 || response.status === 404) {
    throw new Error(`the hub has no open repository ${repository} (status ${response.status})`);
  }
  if (!response.ok) throw new Error(`the hub answered with status ${response.status}`);
  const list: unknown = await response.json().catch(() => null);
  if (!Array.isArray(list)) throw new Error("the hub's answer is not a list of files");
  return list.flatMap(hubFile);
}

function hubFile(entry: unknown): HubFile[] {
  const { type, path, size, lfs } = (entry ?? {}) as { [key: string]: unknown };
  if (type !== "file" || typeof path !== "string" || typeof size !== "number") return [];
  const large = (lfs ?? {}) as { readonly oid?: unknown; readonly size?: unknown };
  const sha256 = typeof large.oid === "string" && /^[0-9a-f]{64}$/.test(large.oid) ? large.oid : null;
  return [{ path, size: typeof large.size === "number" ? large.size : size, sha256 }];
}

/** Vision parts and calibration data are GGUF files too. */
function isModel(file: HubFile): boolean {
  return /\.gguf$/i.test(file.path) && !/mmproj|imatrix/i.test(file.path);
}

function quantOf(path: string): string | null {
  const found = /(?:^|[-._/])((?:I?Q\d\w*|T?Q\d_\w+|MXFP4\w*|BF16|F16|F32))(?:-\d{5}-of-\d{5})?\.gguf$/i.exec(path);
  return found?.[1]?.toUpperCase() ?? null;
}

function pick(files: readonly HubFile[], quant: string | null): HubFile | null {
  const of = (wanted: string) => files.find((file) => quantOf(file.path) === wanted) ?? null;
  if (quant !== null) return of(quant.toUpperCase());
  for (const wanted of preferred) {
    const file = of(wanted);
    if (file) return file;
  }
  return files.reduce((smallest, file) => (file.size < smallest.size ? file : smallest));
}
