import { describe, expect, it } from "vitest";
import { readTag, writeTag } from "./tags";

describe("tags", () => {
  it("are written the way they are read", () => {
    for (const text of ["year=2024", "oak", "formula=a=b"]) expect(writeTag(readTag(text))).toBe(text);
    expect(readTag(" project = thesis ")).toEqual({ tagName: "project", tagValue: "thesis" });
    expect(readTag("=oak")).toEqual({ tagName: "tag", tagValue: "oak" });
  });
});
