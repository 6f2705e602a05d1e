/** A copy of a GGUF file with another chat template, to see a small model through the eyes of a larger one's template. */
import { readFile, writeFile } from "node:fs/promises";

const alignment = 32;
const scalarBytes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const string = 8;
const array = 9;

export async function copyWithTemplate(from: string, to: string, template: string): Promise<void> {
  const file = await readFile(from);
  let at = 24;
  const take = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const u32 = () => file.readUInt32LE(take(4));
  const u64 = () => Number(file.readBigUInt64LE(take(8)));
  const text = () => {
    const length = u64();
    return file.toString("utf8", take(length), at);
  };
  const skip = (type: number) => {
    if (type === string) text();
    else if (type !== array) take(scalarBytes[type] ?? 0);
    else for (let item = u32(), left = u64(); left > 0; left--) skip(item);
  };
  let start = 0;
  let end = 0;
  for (let left = Number(file.readBigUInt64LE(16)); left > 0; left--) {
    const key = text();
    const type = u32();
    if (key === "tokenizer.chat_template") start = at;
    skip(type);
    if (key === "tokenizer.chat_template") end = at;
  }
  for (let left = Number(file.readBigUInt64LE(8)); left > 0; left--) {
    text();
    take(u32() * 8 + 4 + 8);
  }
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(template)));
  const head = [file.subarray(0, start), length, Buffer.from(template), file.subarray(end, at)];
  const used = head.reduce((sum, part) => sum + part.length, 0);
  const padding = Buffer.alloc(aligned(used) - used);
  await writeFile(to, Buffer.concat([...head, padding, file.subarray(aligned(at))]));
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

/** In the manner of Qwen's: tools in the system message, calls and results between tags. */
export const toolTemplate = `{%- if tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
{{- 'You may call these functions:\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\\n</tools>\\nA call looks like this:\\n<tool_call>\\n{"name": <function-name>, "arguments": <arguments>}\\n</tool_call><|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'user' %}
{{- '<|im_start|>user\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' }}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for tool_call in message.tool_calls %}
{%- if (loop.first and message.content) or (not loop.first) %}{{- '\\n' }}{%- endif %}
{{- '<tool_call>\\n{"name": "' + tool_call.function.name + '", "arguments": ' }}
{{- tool_call.function.arguments | tojson }}
{{- '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{%- endif %}
{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{%- endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
