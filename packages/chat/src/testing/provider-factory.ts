/** What a suite asks of whoever has a provider to prove: the provider, and what its back end can be told to answer. */
import type { ProviderErrorCode } from "../error-codes.ts";
import type { Json } from "../json.ts";
import type { Model } from "../model.ts";
import type { SessionProvider } from "../session.ts";

/** A provider to prove, of any kind. */
export type ProviderFactory = ScriptedFactory | LiveModelFactory;

/** One before a back end that answers by a script, so that all of the contract can be tried. */
export type ScriptedFactory = ModelFactory | SessionProviderFactory;

interface Factory {
  /** The failures that the back end can play, by the code that the provider is to throw. Default: `usualFailures`. */
  readonly failures?: readonly ProviderErrorCode[];
  /** The reasons for an end that the back end can give. Default: all three. */
  readonly finishes?: readonly BackEndFinish[];
  /** False: the back end does not count cached tokens. */
  readonly cachedTokens?: boolean;
  /** The key that the provider is given: no error may show it. */
  readonly secret?: string;
}

/** A model to prove. */
export interface ModelFactory extends Factory {
  readonly kind: "model";
  /** False: the model takes no tools. */
  readonly tools: boolean;
  /** The provider before a back end of its own, which gives these answers, one a request. */
  open(answers: readonly BackEndAnswer[]): ProviderUnderTest<Model> | Promise<ProviderUnderTest<Model>>;
}

/** A provider that keeps its conversation, to prove. */
export interface SessionProviderFactory extends Factory {
  readonly kind: "session";
  open(answers: readonly BackEndAnswer[]): SessionProviderUnderTest | Promise<SessionProviderUnderTest>;
}

/**
 * A model whose answers cannot be scripted: one in memory, or at an endpoint that is in use. Tried is what holds of any
 * answer, with some twenty short requests.
 */
export interface LiveModelFactory {
  readonly kind: "live";
  /** False: the model takes no tools. */
  readonly tools: boolean;
  /** Its answer is text of more than `maxOutputTokens`. Default: to count to one hundred, in words. */
  readonly question?: string;
  /** Tokens of each answer; more for a model that thinks before its text. Default: 24. */
  readonly maxOutputTokens?: number;
  /** A message that does not fit the model's window. Default: that is not tried. */
  readonly tooLarge?: string;
  /** Called for each case. It may give the same model each time, if that has no `close` here. */
  open(): LiveModelUnderTest | Promise<LiveModelUnderTest>;
}

/** The model, and how it is put away after a case. */
export interface LiveModelUnderTest {
  readonly provider: Model;
  close?(): void | Promise<void>;
}

/** A provider, and what its back end can say of the requests that came. */
export interface ProviderUnderTest<Provider> {
  readonly provider: Provider;
  /** How many requests have come to the back end. */
  requests(): number;
  /** What the nth of them (from 1) brought, as text, once it has come. */
  request(number: number): Promise<string>;
  /** Settles once the back end is done with it: answered to the end, or left by the provider. */
  over(number: number): Promise<unknown>;
  close?(): void | Promise<void>;
}

/** The same of a provider that keeps its conversation. */
export interface SessionProviderUnderTest extends ProviderUnderTest<SessionProvider> {
  /** How many messages the nth request's conversation had, with its own. */
  turns(number: number): Promise<number>;
}

/** Why an answer ends. */
export type BackEndFinish = "stop" | "length" | "content-filter";

/** What a back end is to do with a request. */
export type BackEndAnswer =
  /** The deltas one by one, then the end. `input` has the `cached` tokens in it. */
  | {
      readonly type: "text";
      readonly deltas: readonly string[];
      readonly finish?: BackEndFinish;
      readonly usage?: { readonly input: number; readonly output: number; readonly cached: number };
    }
  /** The deltas, then nothing more until the provider leaves. */
  | { readonly type: "stall"; readonly deltas: readonly string[] }
  /** The deltas, then the connection ends. */
  | { readonly type: "cut"; readonly deltas: readonly string[] }
  | { readonly type: "tool-call"; readonly toolCallId: string; readonly toolName: string; readonly input: Json }
  /** `retryAfterSeconds`: it says when to try again. */
  | {
      readonly type: "failure";
      readonly code: ProviderErrorCode;
      readonly says: string;
      readonly retryAfterSeconds?: number;
    };

/** What most back ends can fail with. */
export const usualFailures: readonly ProviderErrorCode[] = [
  "provider_auth",
  "provider_permission",
  "model_not_found",
  "provider_rate_limit",
  "provider_overloaded",
  "provider_server",
];
