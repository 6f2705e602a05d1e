/** A JSON value, as it goes over a wire or into a store. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Plain data with U+FFFD for each half of a character; the same object where there is none. JSON writes such a half as
 * an escape that many servers refuse, so one that got into a conversation would refuse every later message of it.
 */
export function wellFormed<Data>(data: Data): Data {
  if (data === null) return data;
  const text = JSON.stringify(data);
  if (!/\\ud[89a-f]/.test(text)) return data;
  const whole = text.replace(/\\(?:u[0-9a-f]{4}|.)/g, (found) => (/^\\ud[89a-f]/.test(found) ? "\ufffd" : found));
  return JSON.parse(whole) as Data;
}
