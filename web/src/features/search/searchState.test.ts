import { describe, expect, it } from "vitest";
import { countFilters, countOptions, readState, toRequest, writeState } from "./searchState";

const FULL =
  "q=How+old%3F&kb=trees&kb=birds&kind=note&tag=year%3D2024&tag=oak&from=2026-01-02&to=2026-01-03" +
  "&count=20&min=0.6&hop=1&diversity=0.3&reranker=none";

describe("the address of a search", () => {
  it("holds everything that was chosen", () => {
    const state = readState(new URLSearchParams(FULL));
    expect(writeState(state).toString()).toBe(FULL);
    expect([countFilters(state), countOptions(state)]).toEqual([5, 5]);
  });

  it("is short where nothing was chosen, and survives nonsense", () => {
    const state = readState(new URLSearchParams("q=+x+&count=9000&min=abc&kind=song&from=yesterday&diversity=-1"));
    expect(writeState(state).toString()).toBe("q=x");
    expect([countFilters(state), countOptions(state)]).toEqual([0, 0]);
  });

  it("becomes what the server is asked", () => {
    const request = toRequest(readState(new URLSearchParams(FULL)));
    expect(request.tagFilters).toEqual([
      { tagName: "year", tagValue: "2024" },
      { tagName: "tag", tagValue: "oak" },
    ]);
    expect(request).toMatchObject({ query: "How old?", topK: 20, minScore: 0.6, reranker: "none", kinds: ["note"] });
    expect(Date.parse(request.updatedTo ?? "") - Date.parse(request.updatedFrom ?? "")).toBe(2 * 86_400_000 - 1);
    expect(toRequest(readState(new URLSearchParams("q=x")))).not.toHaveProperty("minScore");
  });
});
