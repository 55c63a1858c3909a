/** Numbers, sizes and times as the language writes them. */
import type { Language } from "../messages/translate";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const SPANS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function formatNumber(value: number, language: Language): string {
  return new Intl.NumberFormat(language).format(value);
}

export function formatBytes(bytes: number, language: Language): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** step;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[step],
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: step > 0 && amount < 100 ? 1 : 0,
  }).format(amount);
}

/** "3 hours ago", "in 2 days"; null within the last minute. */
export function formatTimeAgo(time: Date, now: Date, language: Language): string | null {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  const span = SPANS.find(([, length]) => Math.abs(seconds) >= length);
  if (!span) return null;
  const [unit, length] = span;
  // Ten minutes before its end a week is still a week.
  const rounded = seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(rounded, unit);
}

export function formatTime(time: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** How long a call took: milliseconds below a second, else seconds. */
export function formatMilliseconds(milliseconds: number, language: Language): string {
  const short = milliseconds < 1000;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: short ? "millisecond" : "second",
    unitDisplay: "short",
    maximumFractionDigits: short && milliseconds >= 10 ? 0 : 1,
  }).format(short ? milliseconds : milliseconds / 1000);
}

/** A moment to the second, as a log writes it; the day only where it is another one. */
export function formatMoment(time: Date, now: Date, language: Language): string {
  const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  const today = time.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(language, today ? clock : { ...clock, month: "short", day: "numeric" }).format(time);
}
