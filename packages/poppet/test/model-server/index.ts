export { apiKey } from "./key.ts";
export type { ProtocolName } from "./protocol.ts";
export type { Part, Reply, Script, StreamReply } from "./script.ts";
export { type ModelServer, protocols, type RecordedRequest, startModelServer } from "./server.ts";
