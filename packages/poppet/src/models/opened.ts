/** What a provider's file makes: the package's model, and the options that each request to it carries. */
import type { AiSdkModel, AiSdkOptions } from "@poppet/chat/ai-sdk";

export interface Opened {
  readonly model: AiSdkModel;
  readonly providerOptions?: AiSdkOptions;
}
