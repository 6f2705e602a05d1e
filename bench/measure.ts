/** Times whole processes side by side: each round runs every command once, so a machine that slows down slows all. */

export interface Command {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Made before each run, for arguments that must be fresh. */
  readonly prepare?: () => void;
}

export interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Null where the system does not tell. */
  readonly peakMiB: number | null;
}

export interface Measured {
  readonly name: string;
  readonly samples: readonly Sample[];
}

/** One warm-up round, then `rounds` counted ones. A command that fails ends the bench. */
export async function measure(commands: readonly Command[], rounds: number): Promise<readonly Measured[]> {
  const samples = commands.map(() => [] as Sample[]);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, command] of commands.entries()) {
      const sample = await once(command);
      if (round > 0) samples[i]?.push(sample);
    }
  }
  return commands.map(({ name }, i) => ({ name, samples: samples[i] ?? [] }));
}

async function once(command: Command): Promise<Sample> {
  command.prepare?.();
  const started = performance.now();
  const run = Bun.spawn([...command.argv], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...command.env },
  });
  const [, err, code] = await Promise.all([
    new Response(run.stdout).arrayBuffer(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  const wallMs = performance.now() - started;
  if (code !== 0) throw new Error(`${command.name} ended with ${code}: ${err}`);
  const usage = run.resourceUsage();
  return {
    wallMs,
    cpuMs: Number(usage?.cpuTime.total ?? 0) / 1000,
    peakMiB: null,
  };
}

/**
 * The most memory that a command held, MiB: read from the system while it runs, in runs of its own, because what the
 * system tells after the end includes the parent's memory from before the program was loaded.
 */
export async function peakMemory(commands: readonly Command[], rounds: number): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const command of commands) {
    const samples: Sample[] = [];
    for (let round = 0; round < rounds; round++) samples.push(await peakOnce(command));
    measured.push({ name: command.name, samples });
  }
  return measured;
}

async function peakOnce(command: Command): Promise<Sample> {
  const run = Bun.spawn([...command.argv], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    env: { ...process.env, ...command.env },
  });
  let peakKiB = 0;
  let over = false;
  run.exited.then(() => {
    over = true;
  });
  while (!over) {
    const status = await Bun.file(`/proc/${run.pid}/status`)
      .text()
      .catch(() => "");
    peakKiB = Math.max(peakKiB, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    await Bun.sleep(1);
  }
  return { wallMs: Number.NaN, cpuMs: Number.NaN, peakMiB: peakKiB === 0 ? null : peakKiB / 1024 };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The middle half's distance, as a share of the median: how much a figure wavers. */
export function spread(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return (at(0.75) - at(0.25)) / median(values);
}
