import { describe, expect, it } from "vitest";
import { type Call, PAGE_SIZE, withNew } from "./calls";

function call(id: string, changes: Partial<Call> = {}): Call {
  return {
    id,
    tool: "query_catalog",
    interface: "rest",
    agentName: null,
    userId: "user_1",
    userName: "Ada",
    keyId: "key_1",
    keyName: "Scout",
    topicDigest: null,
    result: "success",
    errorCode: null,
    durationMs: 1,
    calledAt: "2026-01-10T12:00:00Z",
    ...changes,
  };
}

const ids = (page: { items: Call[] }) => page.items.map(({ id }) => id);

describe("the newest calls", () => {
  it("take in a new one once, newest first", () => {
    const page = { items: [call("call_2"), call("call_1")], next: null };
    expect(ids(withNew(page, [call("call_4"), call("call_2"), call("call_3")], {}))).toEqual([
      "call_4",
      "call_3",
      "call_2",
      "call_1",
    ]);
    expect(withNew(page, [call("call_1")], {})).toBe(page);
  });

  it("leave out what is not looked for", () => {
    const page = { items: [], next: null };
    const made = [call("call_1"), call("call_2", { tool: "search", result: "refused", agentName: "scribe" })];
    expect(ids(withNew(page, made, { tool: "search" }))).toEqual(["call_2"]);
    expect(ids(withNew(page, made, { result: "success" }))).toEqual(["call_1"]);
    expect(ids(withNew(page, made, { agent: "scribe" }))).toEqual(["call_2"]);
    expect(ids(withNew(page, made, { agent: "Scout" }))).toEqual(["call_2", "call_1"]);
  });

  it("stay one page long, and what falls off is on the next", () => {
    const number = (place: number) => `call_${String(place).padStart(3, "0")}`;
    const items = Array.from({ length: PAGE_SIZE }, (_, place) => call(number(PAGE_SIZE - place)));
    const after = withNew({ items, next: null }, [call(number(PAGE_SIZE + 1))], {});
    expect(after.items).toHaveLength(PAGE_SIZE);
    expect(after.next).toBe(number(2));
  });
});
