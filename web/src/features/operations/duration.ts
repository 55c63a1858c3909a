import type { Language } from "../../messages/translate";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function write(amount: number, unit: "second" | "minute" | "hour", language: Language): string {
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(amount);
}

/** How long something took, as precisely as a person cares. */
export function formatDuration(milliseconds: number, language: Language): string {
  if (milliseconds < 1000) return `${language === "zh" ? "不到" : "less than "}${write(1, "second", language)}`;
  if (milliseconds < MINUTE) return write(Math.round(milliseconds / 1000), "second", language);
  if (milliseconds < HOUR) return write(Math.round(milliseconds / MINUTE), "minute", language);
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  const hours = write(Math.floor(milliseconds / HOUR), "hour", language);
  return minutes ? `${hours} ${write(minutes, "minute", language)}` : hours;
}
