/**
 * Snapshots that only who has the key can read: AES-256-GCM by WebCrypto. A passphrase is turned into a key by PBKDF2
 * (SHA-256), whose parameters stand in the blob. The header is authenticated with the content; a checksum before it tells
 * damage from a wrong key.
 *
 * Blob: "POPPET" | SHA-256 of the rest (32) | version (1) | key kind (1) | iterations (4, big-endian) | salt (16) | IV (12) | ciphertext.
 */

import { checkSnapshot, newerSnapshot } from "./check-snapshot.ts";
import { ChatError } from "./errors.ts";
import type { Snapshot } from "./snapshot.ts";

/** A passphrase, or an AES-GCM key of 256 bits. */
export type SnapshotKey = string | CryptoKey;

const magic = new TextEncoder().encode("POPPET");
const version = 1;
const kinds = { key: 0, passphrase: 1 } as const;
const digestAt = magic.length;
const headerAt = digestAt + 32;
const headerLength = 1 + 1 + 4 + 16 + 12;
const iterations = 600_000;
/** A blob that asks for more would only keep the reader busy. */
const mostIterations = 10_000_000;

/** Bytes in memory of their own, as WebCrypto wants them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Seals a snapshot, in half a second or less by a passphrase. A key that cannot, or an empty passphrase:
 * `snapshot_key`.
 */
export async function encrypt(snapshot: Snapshot, key: SnapshotKey): Promise<Bytes> {
  const header = new Uint8Array(headerLength);
  const salt = crypto.getRandomValues(header.subarray(6, 22));
  const iv = crypto.getRandomValues(header.subarray(22));
  header.set([version, typeof key === "string" ? kinds.passphrase : kinds.key]);
  new DataView(header.buffer).setUint32(2, iterations);
  const cipherKey = await cipherKeyOf(key, salt, iterations);
  const plain = new TextEncoder().encode(JSON.stringify(checkSnapshot(snapshot)));
  const sealed = await crypto.subtle
    .encrypt({ name: "AES-GCM", iv, additionalData: header }, cipherKey, plain)
    .catch((thrown) => {
      throw wrongKey("this key may not encrypt", thrown);
    });
  const rest = joined(header, new Uint8Array(sealed));
  return joined(magic, await digest(rest), rest);
}

/**
 * The snapshot, checked. A blob that is cut, changed or none at all: `snapshot_damaged`; another key than it was made
 * with: `snapshot_key`; of a newer version of this package: `snapshot_newer`.
 */
export async function decrypt(blob: Uint8Array, key: SnapshotKey): Promise<Snapshot> {
  const bytes = new Uint8Array(blob);
  const rest = bytes.subarray(headerAt);
  if (!isEqual(bytes.subarray(0, digestAt), magic)) throw damaged("it is no encrypted snapshot");
  if (!isEqual(bytes.subarray(digestAt, headerAt), await digest(rest))) throw damaged("it was cut or changed");
  const header = rest.subarray(0, headerLength);
  const made = header[0] ?? 0;
  if (made > version) throw newerSnapshot(made);
  if (rest.length <= headerLength) throw damaged("it was cut");
  const plain = await open(header, rest.subarray(headerLength), key);
  return checkSnapshot(JSON.parse(new TextDecoder().decode(plain)));
}

async function open(header: Bytes, sealed: Bytes, key: SnapshotKey): Promise<ArrayBuffer> {
  const kind = typeof key === "string" ? "passphrase" : "key";
  if (header[1] !== kinds[kind]) throw wrongKey(`it was not made with a ${kind}`);
  const count = new DataView(header.buffer, header.byteOffset).getUint32(2);
  if (count < 1 || count > mostIterations) throw damaged("its parameters are out of bounds");
  const iv = header.subarray(22);
  const cipherKey = await cipherKeyOf(key, header.subarray(6, 22), count);
  try {
    return await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: header }, cipherKey, sealed);
  } catch (thrown) {
    throw wrongKey(`this ${kind} does not open it`, thrown);
  }
}

async function cipherKeyOf(key: SnapshotKey, salt: Bytes, count: number): Promise<CryptoKey> {
  if (typeof key === "string") return deriveKey(key, salt, count);
  const { name, length } = ((key as CryptoKey | undefined)?.algorithm ?? {}) as Partial<AesKeyAlgorithm>;
  if (name !== "AES-GCM" || length !== 256) throw wrongKey("the key is no AES-GCM key of 256 bits");
  return key;
}

/** Composed, so that one passphrase typed on two systems is the same. */
async function deriveKey(passphrase: string, salt: Bytes, count: number): Promise<CryptoKey> {
  if (passphrase === "") throw wrongKey("the passphrase is empty");
  const typed = new TextEncoder().encode(passphrase.normalize("NFC"));
  const material = await crypto.subtle.importKey("raw", typed, "PBKDF2", false, ["deriveKey"]);
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations: count };
  return crypto.subtle.deriveKey(parameters, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

async function digest(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function joined(...parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function isEqual(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function damaged(why: string): ChatError {
  return new ChatError("snapshot_damaged", `This snapshot cannot be read: ${why}. Use another copy.`);
}

function wrongKey(why: string, cause?: unknown): ChatError {
  return new ChatError("snapshot_key", `This snapshot was not opened or made: ${why}. Check key or passphrase.`, {
    cause,
  });
}
