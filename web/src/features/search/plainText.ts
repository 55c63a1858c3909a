/** A passage without the marks of its Markdown: short enough to glance at, with nothing left to decipher. */
import { type Block, type Inline, readBlocks, readInline } from "../../components/markdownBlocks";

function flatten(pieces: Inline[]): string {
  return pieces.map((piece) => ("text" in piece ? piece.text : flatten(piece.children))).join("");
}

const words = (text: string) => flatten(readInline(text));
const row = (cells: string[]) => cells.map(words).filter(Boolean).join(" · ");

/** Headings that the passage is known to stand under are left out: the reader has just seen them. */
export function plainPassage(text: string, section: string | null): string {
  const above = new Set(section?.split(" > "));
  const blocks = readBlocks(text).filter((block) => !(block.kind === "heading" && above.has(block.text)));
  return blocks.map(plainBlock).filter(Boolean).join("\n") || text;
}

function plainBlock(block: Block): string {
  switch (block.kind) {
    case "rule":
      return "";
    case "code":
      return block.text;
    case "table":
      return [...(block.header ? [block.header] : []), ...block.rows].map(row).filter(Boolean).join("\n");
    case "list":
      return block.items.map(({ mark, text }) => `${/\d/.test(mark) ? mark : "•"} ${words(text)}`).join("\n");
    default:
      return words(block.text);
  }
}

/** Sentences without emphasis and the mark of the list they stood in. */
export function plainSentence(text: string): string {
  return words(text.replace(/^(?:#{1,6}|[-*+•>])\s+/, ""));
}
