/** Where a passage stands, in the reader's language. */
import type { Schemas } from "../../api/client";
import type { Translate } from "../../messages/catalogue";

type Placed = Pick<Schemas["ChunkOut"], "place" | "attachment" | "section" | "startLine" | "endLine">;

/** Formats of text whose lines are not those of the file; the server knows the same ones. */
const REWRITTEN = ["text/html", "text/csv", "text/tab-separated-values", "text/x-rst", "text/x-org"];

export function keepsLines(mediaType: string): boolean {
  return mediaType.startsWith("text/") && !REWRITTEN.includes(mediaType);
}

/** Whether the text is shown as it is, line by line, and is no Markdown. */
export function isLined(mediaType: string): boolean {
  return keepsLines(mediaType) && mediaType !== "text/markdown";
}

/** "page 3", "slide 4: Costs", "sheet Costs, rows 5–9". */
export function placeWords(t: Translate, place: Schemas["PlaceOut"]): string {
  const { kind, number, name, firstRow, lastRow } = place;
  const rows =
    firstRow === null
      ? ""
      : lastRow === null || lastRow === firstRow
        ? t("search.place.row", { row: String(firstRow) })
        : t("search.place.rows", { first: String(firstRow), last: String(lastRow) });
  if (kind === "sheet") {
    const sheet = name ? t("search.place.sheet", { name }) : "";
    return [sheet, rows].filter(Boolean).join(t("search.place.comma")) || t("search.place.sheetNumber", { number });
  }
  const where = t(`search.place.${kind}`, { number: String(number) });
  return name ? t("search.place.named", { where, name }) : where;
}

/** Everything that is known about where a passage stands, from the outside in; what was just read above is left out. */
export function whereabouts(t: Translate, chunk: Placed, mediaType: string, above: string | null = null): string[] {
  const parts: (string | null)[] = [chunk.attachment, chunk.place && placeWords(t, chunk.place)];
  // A sheet or slide is its own first heading; saying it twice helps nobody.
  const section = chunk.section?.split(" > ").filter((heading) => heading !== chunk.place?.name && heading !== above);
  if (section?.length) parts.push(section.join(" › "));
  if (isLined(mediaType) || (!parts.some(Boolean) && keepsLines(mediaType))) {
    const { startLine, endLine } = chunk;
    parts.push(
      startLine === endLine
        ? t("search.place.line", { line: String(startLine) })
        : t("search.place.lines", { first: String(startLine), last: String(endLine) }),
    );
  }
  return parts.filter((part): part is string => Boolean(part));
}
