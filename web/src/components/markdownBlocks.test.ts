import { describe, expect, it } from "vitest";
import { readBlocks, readInline } from "./markdownBlocks";

describe("Markdown", () => {
  it("is read into headings, paragraphs, lists, code and tables", () => {
    const text =
      "# One #\nTwo\nlines\n\n- a\n  - b\n    more\n1. c\n\n```py\n# no heading\n```\n| A | B |\n| --- | --- |\n| 1 | x\\|y |\n> said\n\n---";
    expect(readBlocks(text)).toEqual([
      { kind: "heading", level: 1, text: "One" },
      { kind: "paragraph", text: "Two\nlines" },
      {
        kind: "list",
        items: [
          { depth: 0, mark: "-", text: "a" },
          { depth: 1, mark: "-", text: "b\nmore" },
          { depth: 0, mark: "1.", text: "c" },
        ],
      },
      { kind: "code", text: "# no heading" },
      { kind: "table", header: ["A", "B"], rows: [["1", "x|y"]] },
      { kind: "quote", text: "said" },
      { kind: "rule" },
    ]);
    expect(readBlocks("| 1 | 2 |\n| 3 | 4 |")).toEqual([
      {
        kind: "table",
        header: null,
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
      },
    ]);
  });

  it("knows emphasis and leaves names and sums alone", () => {
    expect(readInline("**a** `b*c*` max_tokens_all 2 * 3 * 4")).toEqual([
      { kind: "strong", children: [{ kind: "text", text: "a" }] },
      { kind: "text", text: " " },
      { kind: "code", text: "b*c*" },
      { kind: "text", text: " max_tokens_all 2 * 3 * 4" },
    ]);
  });

  it("links nowhere that could run something, and loads no picture", () => {
    expect(readInline("[x](javascript:alert(1))")[0]).toEqual({ kind: "text", text: "x" });
    expect(readInline("[x](data:text/html,hi)")).toEqual([{ kind: "text", text: "x" }]);
    expect(readInline("![alt](https://example.org/spy.png)")).toEqual([{ kind: "text", text: "alt" }]);
    expect(readInline("[x](https://example.org)")[0]).toMatchObject({ kind: "link", href: "https://example.org" });
    expect(readInline("<img src=x onerror=alert(1)>")).toEqual([
      { kind: "text", text: "<img src=x onerror=alert(1)>" },
    ]);
  });

  it("comes to an end on anything", () => {
    expect(readBlocks("```\nnever closed")).toEqual([{ kind: "code", text: "never closed" }]);
    expect(readBlocks("\n\n")).toEqual([]);
    expect(readInline("*".repeat(5_000)).length).toBeGreaterThan(0);
    const begun = performance.now();
    readInline("[".repeat(100_000));
    readInline("`a` ".repeat(2_500));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
