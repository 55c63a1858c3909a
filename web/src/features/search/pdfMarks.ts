/** Where on a PDF's page a passage stands: its text against the page's own pieces of text. */

export type TextItem = { str: string };
/** A stretch of one piece of text, from 0 to 1 along it. */
export type Mark = { item: number; from: number; to: number };

/** Shorter stretches than this stand everywhere. */
const TELLING = 12;
/** How much of a passage must be found for it to be called found. */
const ENOUGH = 0.3;
const KEPT = /[\p{L}\p{N}]/u;

/**
 * Letters and digits alone. White space, hyphens at the ends of lines, bullets, ligatures and the marks of headings and
 * tables are where our text and the page's differ.
 */
function lettersOf(text: string): string[] {
  return [...text.normalize("NFKC").toLowerCase()].filter((letter) => KEPT.test(letter));
}

/** The letters of all pieces in a row, and where each came from. */
function readItems(items: TextItem[]) {
  const letters: string[] = [];
  const origins: { item: number; at: number; of: number }[] = [];
  items.forEach(({ str }, item) => {
    const own = lettersOf(str);
    own.forEach((letter, at) => {
      letters.push(letter);
      origins.push({ item, at, of: own.length });
    });
  });
  return { text: letters.join(""), letters, origins };
}

/** The stretches of the page that are the passage's, as spans of its letters. */
function findSpans(page: string, passage: string, lines: string[]): [number, number][] {
  const whole = page.indexOf(passage);
  if (whole >= 0) return [[whole, whole + passage.length]];
  // In another order than the page has it: columns, tables, footnotes. Its lines may still be found one by one.
  const spans: [number, number][] = [];
  for (const line of lines) {
    for (const stretch of cut(line)) {
      const at = page.indexOf(stretch);
      if (at >= 0) spans.push([at, at + stretch.length]);
    }
  }
  const found = spans.reduce((sum, [start, end]) => sum + end - start, 0);
  return found >= passage.length * ENOUGH ? spans : [];
}

/** A line in stretches that are long enough to tell; a table's cells are already apart. */
function cut(line: string): string[] {
  const stretches: string[] = [];
  for (let at = 0; at < line.length; at += TELLING * 2) {
    const stretch = line.slice(at, line.length - at < TELLING * 3 ? undefined : at + TELLING * 2);
    if (stretch.length >= TELLING) stretches.push(stretch);
    if (line.length - at < TELLING * 3) break;
  }
  return stretches;
}

export function findMarks(items: TextItem[], passage: string): Mark[] {
  const { text, origins } = readItems(items);
  const wanted = lettersOf(passage).join("");
  if (!wanted) return [];
  const lines = passage.split(/\n|(?<!\\)\|/).map((line) => lettersOf(line).join(""));
  const marks = new Map<number, Mark>();
  for (const [start, end] of findSpans(text, wanted, lines)) {
    for (const { item, at, of } of origins.slice(start, end)) {
      const mark = marks.get(item);
      const from = at / of;
      const to = (at + 1) / of;
      if (!mark) marks.set(item, { item, from, to });
      else marks.set(item, { item, from: Math.min(mark.from, from), to: Math.max(mark.to, to) });
    }
  }
  return [...marks.values()].sort((one, other) => one.item - other.item);
}
