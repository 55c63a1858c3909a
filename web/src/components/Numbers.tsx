import { useLanguage } from "../messages/language";
import { formatBytes, formatNumber } from "./formats";

export function Count({ value }: { value: number }) {
  return <>{formatNumber(value, useLanguage().language)}</>;
}

export function Bytes({ value }: { value: number }) {
  return <span style={{ whiteSpace: "nowrap" }}>{formatBytes(value, useLanguage().language)}</span>;
}
