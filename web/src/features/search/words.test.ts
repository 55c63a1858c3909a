import { describe, expect, it } from "vitest";
import { markWords, questionWords } from "./words";

const marked = (question: string, text: string) =>
  markWords(text, questionWords(question))
    .filter((piece) => piece.marked)
    .map((piece) => piece.text);

describe("the question's words", () => {
  it("are found in other forms, and those that say nothing are not", () => {
    expect(marked("How many scrolls did it fill?", "A scroll was filled; how many scrolls is it?")).toEqual([
      "scroll",
      "filled",
      "many",
      "scrolls",
    ]);
  });

  it("are found in Chinese", () => {
    expect(marked("图书馆有多少卷轴?", "亚历山大图书馆收藏卷轴。").join("")).toContain("图书馆");
  });

  it("leave the text as it was", () => {
    const text = "One <b>oak</b>\n\nand oaks.";
    expect(
      markWords(text, questionWords("oak"))
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
    expect(markWords(text, questionWords(""))).toEqual([{ text, marked: false }]);
  });
});
