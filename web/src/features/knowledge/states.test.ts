import { describe, expect, it } from "vitest";
import { fileKindOf, stateOf } from "./states";

const kb = (documentCount: number, unfinishedCount = 0, failedCount = 0, switching = false) => ({
  stats: { documentCount, unfinishedCount, failedCount, chunkCount: 0, sizeBytes: 0 },
  switching,
});

describe("a knowledge base", () => {
  it("is in one state at a time, what is going on first", () => {
    expect(stateOf(kb(0))).toBe("empty");
    expect(stateOf(kb(3))).toBe("ready");
    expect(stateOf(kb(3, 0, 1))).toBe("failed");
    expect(stateOf(kb(3, 0, 1, true))).toBe("switching");
    expect(stateOf(kb(3, 1, 1, true))).toBe("indexing");
  });
});

describe("a document", () => {
  it("is of the kind its name says, else its type", () => {
    expect(fileKindOf({ name: "a.b.pdf", mediaType: "application/pdf" })).toBe("PDF");
    expect(fileKindOf({ name: "https://example.org/page", mediaType: "text/html" })).toBe("HTML");
    expect(fileKindOf({ name: "README", mediaType: "text/x-python" })).toBe("PYTHON");
  });
});
