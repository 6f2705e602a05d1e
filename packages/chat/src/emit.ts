/**
 * How work tells what happens: by a function that it calls and awaits. The work is then plain functions that call each
 * other, and an event costs the same however deep it comes from; through generators within generators it costs each.
 */
import { ChatError } from "./errors.ts";

/** Settles when the work may go on; rejects where the reader has left. */
export type Emit<Event> = (event: Event) => Promise<void> | void;

const readerLeft = new ChatError("aborted", "The answer was not read to its end.");
const noMore = new ChatError("aborted", "The work has ended.");

/** The work's events as an async generator: it begins with the first `next`, and runs only as far as it is read. */
export async function* generated<Event, Result>(
  work: (emit: Emit<Event>) => Promise<Result>,
): AsyncGenerator<Event, Result, void> {
  let isOver = false;
  let hasLeft = false;
  // Made once: an event costs two promises, and no closures but theirs.
  let hear = (_event: Event) => {};
  let end = (_reason: unknown) => {};
  const hearing = (resolve: typeof hear, reject: typeof end) => {
    hear = resolve;
    end = reject;
  };
  let goOn = () => {};
  let giveUp = (_reason: unknown) => {};
  const waiting = (resolve: typeof goOn, reject: typeof giveUp) => {
    goOn = resolve;
    giveUp = reject;
  };

  let next = new Promise<Event>(hearing);
  const result = work((event) => {
    if (hasLeft) return Promise.reject(readerLeft);
    hear(event);
    return new Promise<void>(waiting);
  });
  const over = () => {
    isOver = true;
    end(noMore);
  };
  result.then(over, over);
  try {
    while (!isOver) {
      // Awaited by the language itself, once.
      yield next;
      next = new Promise(hearing);
      goOn();
    }
  } catch (thrown) {
    if (thrown !== noMore) throw thrown;
  } finally {
    if (!isOver) {
      hasLeft = true;
      giveUp(readerLeft);
      await result.catch(() => {});
    }
  }
  return await result;
}
