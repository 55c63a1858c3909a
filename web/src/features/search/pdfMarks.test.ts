import { describe, expect, it } from "vitest";
import { findMarks } from "./pdfMarks";

const items = (...texts: string[]) => texts.map((str) => ({ str }));
const marked = (texts: string[], passage: string) => findMarks(items(...texts), passage).map(({ item }) => item);

describe("marks on a PDF's page", () => {
  it("are found across white space, hyphens, ligatures and headings", () => {
    const page = ["Page 3", "The ﬁrst cata-", "logue  was written", "by Callimachus.", "7"];
    expect(marked(page, "## The first\n\ncatalogue was written by Callimachus.")).toEqual([1, 2, 3]);
  });

  it("begin and end within a piece of text", () => {
    const [mark] = findMarks(items("One two. Three four."), "Three four.");
    expect(mark?.from).toBeCloseTo(6 / 15);
    expect(mark?.to).toBe(1);
  });

  it("are found in Chinese, and in pieces where the order differs", () => {
    expect(marked(["亚历山大", "图书馆收藏卷轴。"], "图书馆收藏卷轴。")).toEqual([1]);
    const columns = ["a column to the left of it", "another column to the right", "which goes on below here"];
    const passage = "a column to the left of it\nwhich goes on below here\nanother column to the right";
    expect(marked(columns, passage)).toEqual([0, 1, 2]);
  });

  it("are none where the passage is not on the page", () => {
    expect(marked(["Something else entirely stands here."], "A passage about oaks and their long lives.")).toEqual([]);
    expect(marked([], "anything")).toEqual([]);
    expect(marked(["text"], "–")).toEqual([]);
  });
});
