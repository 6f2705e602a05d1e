/** How long ago, as people say it; a date once that is clearer. Also lengths of time still to wait. */
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export function relativeTime(then: number, now: number): string {
  const ago = now - then;
  if (ago < minute) return "just now";
  if (ago < hour) return `${Math.floor(ago / minute)} min ago`;
  if (ago < day) return `${Math.floor(ago / hour)} h ago`;
  if (ago < 2 * day) return "yesterday";
  if (ago < 14 * day) return `${Math.floor(ago / day)} days ago`;
  const date = new Date(then);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `98 MB`, `1.2 GB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ""}`;
}
