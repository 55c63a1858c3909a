import { describe, expect, it } from "vitest";
import { formatDuration } from "./duration";
import { asTab, countOf, firstTab } from "./tabs";

const none = { pending: 0, running: 0, completed: 0, failed: 0, terminated: 0 };

describe("tabs", () => {
  it("open where there is something to see", () => {
    expect(firstTab(none)).toBe("running");
    expect(firstTab({ ...none, completed: 9, failed: 1 })).toBe("failed");
    expect(firstTab({ ...none, completed: 9, pending: 3, failed: 1 })).toBe("waiting");
  });

  it("count what was cancelled as done", () => {
    expect(countOf("done", { ...none, completed: 4, terminated: 1 })).toBe(5);
  });

  it("are none but those there are", () => {
    expect(asTab("failed")).toBe("failed");
    expect(asTab("lost")).toBeUndefined();
    expect(asTab(null)).toBeUndefined();
  });
});

describe("durations", () => {
  it("are written in the units a person would choose", () => {
    expect(formatDuration(400, "en")).toBe("less than 1 sec");
    expect(formatDuration(12_000, "en")).toBe("12 sec");
    expect(formatDuration(3 * 60_000, "en")).toBe("3 min");
    expect(formatDuration(3_600_000 + 5 * 60_000, "en")).toBe("1 hr 5 min");
    expect(formatDuration(12_000, "zh")).toBe("12秒");
  });
});
