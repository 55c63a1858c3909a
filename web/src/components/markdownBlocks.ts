/** The Markdown that parsers write and people send, read into blocks. HTML in it stays text. */

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "paragraph" | "quote"; text: string }
  | { kind: "code"; text: string }
  | { kind: "list"; items: { depth: number; mark: string; text: string }[] }
  | { kind: "table"; header: string[] | null; rows: string[][] }
  | { kind: "rule" };

const FENCE = /^\s*(```+|~~~+)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+•]|\d{1,9}[.)])\s+(.*)$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const ROW = /^\s*\|.*\|\s*$/;
const QUOTE = /^\s*>\s?/;

export function readBlocks(text: string): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const taken = readBlock(lines, at);
    if (taken.block) blocks.push(taken.block);
    at = taken.next;
  }
  return blocks;
}

function readBlock(lines: string[], at: number): { block?: Block; next: number } {
  const line = lines[at] ?? "";
  if (!line.trim()) return { next: at + 1 };
  const fence = line.match(FENCE)?.[1];
  if (fence) return readFence(lines, at, fence);
  const heading = line.match(HEADING);
  if (heading) {
    return { block: { kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" }, next: at + 1 };
  }
  if (RULE.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (ROW.test(line)) return readTable(lines, at);
  if (ITEM.test(line)) return readList(lines, at);
  const quoted = QUOTE.test(line);
  const end = runEnd(lines, at, (next) => quoted === QUOTE.test(next) && (quoted || !beginsBlock(next)));
  const text = lines.slice(at, end).map((each) => (quoted ? each.replace(QUOTE, "") : each));
  return { block: { kind: quoted ? "quote" : "paragraph", text: text.join("\n").trim() }, next: end };
}

function beginsBlock(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || ROW.test(line) || ITEM.test(line);
}

function runEnd(lines: string[], start: number, goesOn: (line: string) => boolean): number {
  let end = start + 1;
  while (end < lines.length && lines[end]?.trim() && goesOn(lines[end] ?? "")) end++;
  return end;
}

function readFence(lines: string[], at: number, fence: string) {
  let end = at + 1;
  while (end < lines.length && !lines[end]?.trim().startsWith(fence)) end++;
  const block: Block = { kind: "code", text: lines.slice(at + 1, end).join("\n") };
  return { block, next: end + 1 };
}

function readTable(lines: string[], at: number) {
  const end = runEnd(lines, at, (line) => ROW.test(line));
  const named = TABLE_RULE.test(lines[at + 1] ?? "") && end > at + 1;
  const rows = lines.slice(named ? at + 2 : at, end).filter((line) => !TABLE_RULE.test(line));
  const header = named ? splitRow(lines[at] ?? "") : null;
  const block: Block = { kind: "table", header, rows: rows.map(splitRow) };
  return { block, next: end };
}

export function splitRow(row: string): string[] {
  const cells = row
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replace(/\\([\\|])/g, "$1"));
}

function readList(lines: string[], at: number) {
  const items: { depth: number; mark: string; text: string }[] = [];
  let end = at;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    const found = line.match(ITEM);
    if (found)
      items.push({ depth: Math.floor((found[1] ?? "").length / 2), mark: found[2] ?? "", text: found[3] ?? "" });
    else if (!line.trim() || beginsBlock(line)) break;
    else {
      const last = items.at(-1);
      if (last) last.text += `\n${line.trim()}`;
    }
    end++;
  }
  const block: Block = { kind: "list", items };
  return { block, next: end };
}

const INLINE =
  /`([^`]+)`|\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])|(?<!\w)_(\S(?:[^_]*?\S)?)_(?!\w)|!?\[([^\]]*)\]\(\s*<?([^\s)>]*)>?[^)]*\)/s;
const LINKABLE = /^(?:https?:\/\/|mailto:)/i;

/** Marks that nothing closes are looked for to the end, time and again: a longer run of text is shown as it is. */
const LONGEST_MARKED = 10_000;

/** Emphasis, code and links; an address that could do more than lead somewhere stays text. */
export function readInline(text: string): Inline[] {
  if (text.length > LONGEST_MARKED) return [{ kind: "text", text }];
  const parts: Inline[] = [];
  let rest = text;
  for (let found = rest.match(INLINE); found?.index !== undefined; found = rest.match(INLINE)) {
    if (found.index > 0) parts.push({ kind: "text", text: rest.slice(0, found.index) });
    parts.push(...readMarked(found));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest) parts.push({ kind: "text", text: rest });
  return parts;
}

function readMarked([whole, code, strong, star, underscore, label, href]: RegExpMatchArray): Inline[] {
  const em = star ?? underscore;
  if (code !== undefined) return [{ kind: "code", text: code }];
  if (strong !== undefined) return [{ kind: "strong", children: readInline(strong) }];
  if (em !== undefined) return [{ kind: "em", children: readInline(em) }];
  if (whole?.startsWith("!") || !LINKABLE.test(href ?? "")) return readInline(label ?? "");
  return [{ kind: "link", href: href ?? "", children: readInline(label ?? "") }];
}
