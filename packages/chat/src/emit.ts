/**
 * How work tells what happens: by a function that it calls and awaits. The work is then plain functions that call each
 * other, and an event costs the same however deep it comes from; through generators within generators it costs each.
 */
import { ChatError } from "./errors.ts";

/** Settles when the work may go on; rejects where the reader has left. */
export type Emit<Event> = (event: Event) => Promise<void> | void;

type Work<Event, Result> = (emit: Emit<Event>) => Promise<Result>;

/** The work's events as an async generator: it begins with the first `next`, and runs only as far as it is read. */
export function generated<Event, Result>(work: Work<Event, Result>): AsyncGenerator<Event, Result, void> {
  return new Events(work);
}

const readerLeft = new ChatError("aborted", "The answer was not read to its end.");

/** By hand: a generator that waits for each event to yield it costs twice as much. */
class Events<Event, Result> implements AsyncGenerator<Event, Result, void> {
  readonly #work: Work<Event, Result>;
  /** `running`: a reader waits for the work. `waiting`: the work waits for a reader. */
  #state: "new" | "running" | "waiting" | "over" = "new";
  #hasLeft = false;
  #answer = nobody as (next: IteratorResult<Event, Result>) => void;
  #fail = nobody as (thrown: unknown) => void;
  #goOn = nobody;
  #giveUp = nobody as (thrown: unknown) => void;
  // Made once, for each event has two promises.
  readonly #asking = (answer: (next: IteratorResult<Event, Result>) => void, fail: (thrown: unknown) => void) => {
    this.#answer = answer;
    this.#fail = fail;
  };
  readonly #waiting = (goOn: () => void, giveUp: (thrown: unknown) => void) => {
    this.#goOn = goOn;
    this.#giveUp = giveUp;
  };
  /** Tells how the work ended, while nobody was told. */
  #tellEnd: (() => void) | null = null;
  /** Calls that wait for their turn, and the last call of all. */
  #queued = 0;
  #last: Promise<unknown> | null = null;

  constructor(work: Work<Event, Result>) {
    this.#work = work;
  }

  next(): Promise<IteratorResult<Event, Result>> {
    return this.#call(this.#read);
  }

  async return(value: Result | PromiseLike<Result>): Promise<IteratorResult<Event, Result>> {
    await this.#leave();
    return { done: true, value: await value };
  }

  throw(thrown: unknown): Promise<IteratorResult<Event, Result>> {
    return this.#call(() => this.#stop(thrown));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#leave();
  }

  async #leave(): Promise<void> {
    try {
      await this.#call(() => {
        this.#hasLeft = true;
        this.#stop(readerLeft);
      });
    } catch (thrown) {
      if (thrown !== readerLeft) throw thrown;
    }
  }

  /** One after the other, as the calls came. */
  #call(act: (this: this) => void): Promise<IteratorResult<Event, Result>> {
    if (this.#state !== "running" && this.#queued === 0) {
      const answer = this.#start(act);
      this.#last = answer;
      return answer;
    }
    this.#queued++;
    const start = () => {
      this.#queued--;
      return this.#start(act);
    };
    const answer = Promise.resolve(this.#last).then(start, start);
    this.#last = answer;
    return answer;
  }

  #start(act: (this: this) => void): Promise<IteratorResult<Event, Result>> {
    const answer = new Promise<IteratorResult<Event, Result>>(this.#asking);
    act.call(this);
    return answer;
  }

  #read(): void {
    const before = this.#state;
    if (before !== "over") this.#state = "running";
    if (before === "waiting") this.#goOn();
    else if (before === "over") this.#tell();
    else {
      this.#work((event) => this.#emit(event)).then(
        (value) => this.#end(() => this.#answer({ done: true, value })),
        (thrown) => this.#end(() => this.#fail(thrown)),
      );
    }
  }

  /** Where the work waits, it ends in its own way. */
  #stop(reason: unknown): void {
    const before = this.#state;
    this.#state = before === "waiting" ? "running" : "over";
    this.#tellEnd = null;
    if (before === "waiting") this.#giveUp(reason);
    else this.#fail(reason);
  }

  #emit(value: Event): Promise<void> {
    if (this.#hasLeft || this.#state === "over") return Promise.reject(readerLeft);
    this.#state = "waiting";
    this.#answer({ done: false, value });
    return new Promise(this.#waiting);
  }

  #end(tell: () => void): void {
    const isAwaited = this.#state === "running";
    this.#state = "over";
    this.#tellEnd = tell;
    if (isAwaited) this.#tell();
  }

  #tell(): void {
    const tell = this.#tellEnd;
    this.#tellEnd = null;
    if (tell) tell();
    else this.#answer({ done: true, value: undefined as Result });
  }
}

function nobody(): void {}
