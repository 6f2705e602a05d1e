/** What is known of the terminal: which of the three streams are one, its size, how many colours it has. */
import type { Environment } from "../config/location.ts";
import { type Libc, openLibc } from "./libc.ts";

export interface Terminal {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** 0 is none: styles are off. */
  readonly colors: Colors;
  /** The cursor cannot be moved. */
  readonly dumb: boolean;
  /** It knows OSC 8: a text that leads to an address. */
  readonly links: boolean;
  columns(): number;
  rows(): number;
  /** Calls `gone` once, within 100 ms of the moment when nobody reads the stream any more. Returns how to stop. */
  watchReader(descriptor: 1 | 2, gone: () => void): () => void;
}

export type Colors = 0 | 16 | 256 | 16_777_216;

const pollMs = 50;

export async function openTerminal(env: Environment): Promise<Terminal> {
  const libc = openLibc() ?? (await slowLibc());
  const stdout = libc.isTerminal(1);
  const stderr = libc.isTerminal(2);
  return {
    stdin: libc.isTerminal(0),
    stdout,
    stderr,
    colors: colorDepth(env),
    dumb: env.TERM === "dumb",
    links: knowsLinks(env),
    columns: () => libc.columns(stdout ? 1 : 2) || Number(env.COLUMNS) || 80,
    rows: () => libc.rows(stdout ? 1 : 2) || Number(env.LINES) || 24,
    watchReader(descriptor, gone) {
      const timer = setInterval(() => {
        if (!libc.readerGone(descriptor)) return;
        clearInterval(timer);
        gone();
      }, pollMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** Of a terminal with this environment. NO_COLOR wins over everything, FORCE_COLOR over what TERM says. */
export function colorDepth(env: Environment): Colors {
  const term = env.TERM ?? "";
  if (env.NO_COLOR) return 0;
  const forced = env.FORCE_COLOR;
  if (forced) {
    const depths: { readonly [value: string]: Colors } = { "0": 0, false: 0, "1": 16, "2": 256, "3": 16_777_216 };
    return depths[forced] ?? 16;
  }
  if (term === "dumb" || term === "") return 0;
  if (env.COLORTERM === "truecolor" || env.COLORTERM === "24bit") return 16_777_216;
  if (/-256(color)?$|^(xterm-kitty|xterm-ghostty|alacritty|wezterm|foot)/.test(term)) return 256;
  return /^(xterm|screen|tmux|rxvt|linux|ansi|vt220|vt340|cygwin|konsole|putty)|color/.test(term) ? 16 : 0;
}

/** Only terminals that are known to: another one may show the address in the middle of the text. */
export function knowsLinks(env: Environment): boolean {
  const { TERM = "", TERM_PROGRAM = "" } = env;
  if (TERM === "dumb") return false;
  if (TERM_PROGRAM === "tmux") return atLeast(env.TERM_PROGRAM_VERSION, 3.4);
  if (/^(?:screen|tmux)/.test(TERM)) return false;
  if (/^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio|zed)$/.test(TERM_PROGRAM)) return true;
  if (/^(?:xterm-kitty|xterm-ghostty|alacritty|wezterm|foot|contour)/.test(TERM)) return true;
  return Boolean(env.WT_SESSION || env.KITTY_WINDOW_ID || env.DOMTERM) || atLeast(env.VTE_VERSION, 5000);
}

function atLeast(version: string | undefined, least: number): boolean {
  return Number.parseFloat(version ?? "") >= least;
}

async function slowLibc(): Promise<Libc> {
  const { isatty, WriteStream } = await import("node:tty");
  return {
    isTerminal: isatty,
    columns: (descriptor) => (isatty(descriptor) ? new WriteStream(descriptor).columns : 0),
    rows: (descriptor) => (isatty(descriptor) ? new WriteStream(descriptor).rows : 0),
    readerGone: () => false,
  };
}
