import { describe, expect, it } from "vitest";
import { formatBytes, formatTimeAgo } from "./formats";

const now = new Date("2026-01-10T12:00:00Z");

describe("formats", () => {
  it("write sizes in the unit a person would choose", () => {
    expect(formatBytes(0, "en")).toBe("0 bytes");
    expect(formatBytes(999, "en")).toBe("999 bytes");
    expect(formatBytes(1500, "en")).toBe("1.5 kB");
    expect(formatBytes(52_428_800, "en")).toBe("52.4 MB");
    expect(formatBytes(1500, "zh")).toContain("1.5");
  });

  it("write times as a distance from now, in both directions", () => {
    expect(formatTimeAgo(new Date("2026-01-10T11:59:30Z"), now, "en")).toBeNull();
    expect(formatTimeAgo(new Date("2026-01-10T09:00:00Z"), now, "en")).toBe("3 hours ago");
    expect(formatTimeAgo(new Date("2026-01-12T12:00:00Z"), now, "en")).toBe("in 2 days");
    expect(formatTimeAgo(new Date("2026-01-10T09:00:00Z"), now, "zh")).toBe("3小时前");
  });
});
