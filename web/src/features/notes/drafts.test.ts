import { expect, it } from "vitest";
import { changesOf, combine, EMPTY, fillTemplate, tagText, today } from "./drafts";

const template = {
  id: "log",
  name: "Log",
  description: "",
  title: "{{ date }} Log",
  content: "# {{主题}}\n\n{{done}}{{left}}",
  tags: ["log"],
  variables: ["date", "主题", "done", "left"],
  shipped: false,
};

it("tells what was changed and nothing else", () => {
  const base = { title: "A", resource: "knowledge", tags: ["b", "a=1"], content: "x" };
  expect(changesOf(base, { ...base, tags: ["a=1", "b"] })).toBeNull();
  expect(changesOf(base, { ...base, title: "", tags: [] })).toEqual({ title: "", tags: [] });
  expect(changesOf(EMPTY, EMPTY)).toBeNull();
});

it("lets two people change different things of a note at once", () => {
  const base = { title: "A", resource: "knowledge", tags: [], content: "x" };
  const mine = { ...base, content: "mine" };
  expect(combine(base, mine, { ...base, tags: ["t"] })).toEqual({ draft: { ...mine, tags: ["t"] }, clash: false });
  expect(combine(base, mine, mine).clash).toBe(false);
  expect(combine(base, mine, { ...base, title: "B", content: "theirs" })).toEqual({
    draft: { ...mine, title: "B" },
    clash: true,
  });
});

it("fills a template in one pass", () => {
  const values = { date: "2026-01-02", 主题: "Oaks", done: "{{left}}", left: "!" };
  expect(fillTemplate(template, values)).toEqual({
    title: "2026-01-02 Log",
    resource: null,
    tags: ["log"],
    content: "# Oaks\n\n{{left}}!",
  });
  expect(fillTemplate(template, {}).content).toBe("# \n\n");
});

it("writes tags and days as they are given", () => {
  expect(tagText({ tagName: "tag", tagValue: "wood" })).toBe("wood");
  expect(tagText({ tagName: "year", tagValue: "2024" })).toBe("year=2024");
  expect(today(new Date(2026, 0, 2, 23, 59))).toBe("2026-01-02");
});
