/** What a provider of one's own throws of an HTTP answer that is none: its status, headers and words, to be sorted. */
import { beginning } from "./guarded-fetch.ts";

/** Reads no more of the body than an error message can use. */
export async function responseError(response: Response): Promise<Error> {
  const responseBody = new TextDecoder().decode(await beginning(response));
  const responseHeaders = Object.fromEntries(response.headers);
  const error = new Error(response.statusText || "no answer");
  return Object.assign(error, { statusCode: response.status, responseHeaders, responseBody });
}
