/** A line that says what is waited for, with the time once it is long. It leaves nothing behind. */
import { fitted, openBlock } from "./block.ts";
import type { Asking } from "./terminal.ts";

const everyMs = 1_000;

export async function waiting<Value>(asking: Asking, words: string, work: Promise<Value>): Promise<Value> {
  if (!asking.moving) {
    asking.write(`${words}\n`);
    return work;
  }
  const block = openBlock(asking, "hidden");
  let seconds = 0;
  const draw = () => block.draw([fitted(asking, seconds < 2 ? words : `${words} ${seconds} s`)]);
  const stop = asking.onRedraw((fresh) => {
    if (fresh) block.forget();
    draw();
  });
  const timer = setInterval(() => {
    seconds++;
    draw();
  }, everyMs);
  try {
    draw();
    return await work;
  } finally {
    clearInterval(timer);
    stop();
    block.erase();
  }
}
