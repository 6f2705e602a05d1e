/** For tests of what is built on the library: `@poppet/chat/testing`. */
export { describeProvider, type ProviderSuiteOptions } from "./describe-provider.ts";
export { describeTranscript, type TranscriptFactory, type TranscriptSuiteOptions } from "./describe-transcript.ts";
export { type HandClock, handClock } from "./hand-clock.ts";
export {
  type BackEndAnswer,
  type BackEndFinish,
  type LiveModelFactory,
  type LiveModelUnderTest,
  type ModelFactory,
  type ProviderFactory,
  type ProviderUnderTest,
  type ScriptedFactory,
  type SessionProviderFactory,
  type SessionProviderUnderTest,
  usualFailures,
} from "./provider-factory.ts";
export type { Runner } from "./runner.ts";
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
export { playTranscript, type TranscriptStep } from "./transcript-play.ts";
