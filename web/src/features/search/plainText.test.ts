import { expect, it } from "vitest";
import { plainPassage, plainSentence } from "./plainText";

it("shows a passage without its Markdown", () => {
  expect(
    plainPassage("## Care\n\n- **Water** them\n1. Then\n\n| A | B |\n| --- | --- |\n| 1 |  |", "Oaks > Care"),
  ).toBe("• Water them\n1. Then\nA · B\n1");
  expect(plainPassage("# Care", "Care")).toBe("# Care");
  expect(plainPassage("# Other\nText <b>", "Care")).toBe("Other\nText <b>");
});

it("shows a sentence without its marks", () => {
  expect(plainSentence("- Oaks live for a **thousand** `years`.")).toBe("Oaks live for a thousand years.");
});
