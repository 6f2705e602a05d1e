/** How long ago, as people say it; a date once that is clearer. Also lengths of time still to wait. */
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Days are those of the local calendar: yesterday ended last midnight. */
export function relativeTime(then: number, now: number): string {
  const ago = now - then;
  // A clock that was set back can leave times to come.
  if (ago <= -minute) return localDate(then);
  if (ago < minute) return "just now";
  if (ago < hour) return `${Math.floor(ago / minute)} min ago`;
  // Asking for the local calendar loads time zones, so only where it is needed.
  const days = ago < day ? 0 : daysBetween(then, now);
  if (days === 0) return `${Math.floor(ago / hour)} h ago`;
  if (days === 1) return "yesterday";
  return days < 14 ? `${days} days ago` : localDate(then);
}

function daysBetween(then: number, now: number): number {
  return Math.round((midnight(now) - midnight(then)) / day);
}

/** Of the local date, as if in UTC, whose days are all of one length. */
function midnight(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

/** `2026-11-30`, where the person is. */
function localDate(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `2026-11-30 18:44`, where the person is. */
export function localTime(time: number): string {
  const date = new Date(time);
  return `${localDate(time)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
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
