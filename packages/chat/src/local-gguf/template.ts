/**
 * How a conversation is written for a model: by the model's own chat template, from the file's metadata. The engine has
 * wrappers of its own for known templates, but for SmolLM2 that one doubles the first token and turns "The capital of
 * France is Paris." into nonsense, and finding it costs half a second; it is used where a file's own template is
 * missing or fails, and for the templates that only a wrapper of its own can read.
 */
import type { ChatWrapper, LlamaModel } from "node-llama-cpp";

export interface Template {
  readonly wrapper: ChatWrapper;
  /** Whether the model was taught to call tools. */
  readonly tools: boolean;
}

/** Marks of gpt-oss, Gemma 4 and Seed, whose answers come in channels. */
const channelMarks = ["<|channel|>", "<|channel>", "<seed:think>"];

export async function chatTemplate(model: LlamaModel): Promise<Template> {
  const { JinjaTemplateChatWrapper, resolveChatWrapper } = await import("node-llama-cpp");
  const template = model.fileInfo.metadata.tokenizer?.chat_template;
  const known = typeof template === "string" && template.trim() !== "";
  const tools = known && /\btools\b/.test(template);
  if (known && !channelMarks.some((mark) => template.includes(mark))) {
    try {
      return { wrapper: new JinjaTemplateChatWrapper({ template, tokenizer: model.tokenizer }), tools };
    } catch {
      // A template that the engine's Jinja cannot run.
    }
  }
  return { wrapper: resolveChatWrapper(model, { warningLogs: false, noJinja: true }), tools };
}
