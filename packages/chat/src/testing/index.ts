/** For tests of what is built on the library: `@poppet/chat/testing`. */
export { type HandClock, handClock } from "./hand-clock.ts";
export {
  call,
  finish,
  type ScriptedItem,
  type ScriptedModel,
  type ScriptedStep,
  say,
  scriptedModel,
  think,
} from "./scripted-model.ts";
export { type TranscriptCase, transcriptCases } from "./transcript-cases.ts";
export { playTranscript, type TranscriptStep } from "./transcript-play.ts";
