export { call, finish, type ScriptedModel, type ScriptedStep, say, scriptedModel, think } from "./scripted-model.ts";
export { type TranscriptCase, transcriptCases } from "./transcript-cases.ts";
export { playTranscript, type TranscriptStep } from "./transcript-play.ts";
