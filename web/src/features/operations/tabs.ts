/** The tabs of the page: what each one shows, and which one is opened first. */
import type { Schemas } from "../../api/client";

export type Status = Schemas["OperationStatus"];
export type Counts = Record<Status, number>;
export const TABS = ["running", "waiting", "failed", "done"] as const;
export type Tab = (typeof TABS)[number];
export const PAGE_SIZE = 25;

const STATUSES: Record<Tab, Status[]> = {
  running: ["running"],
  waiting: ["pending"],
  failed: ["failed"],
  done: ["completed", "terminated"],
};

export function asTab(text: string | null): Tab | undefined {
  return TABS.find((tab) => tab === text);
}

/** What was tried again since needs nobody, so only the last try counts as failed. */
export function tabQuery(tab: Tab): { status: Status[]; latest: boolean } {
  return { status: STATUSES[tab], latest: tab === "failed" };
}

export function countOf(tab: Tab, counts: Counts): number {
  return STATUSES[tab].reduce((sum, status) => sum + counts[status], 0);
}

/** Where there is something to see: what is going on comes before what is over. */
export function firstTab(counts: Counts): Tab {
  return TABS.find((tab) => countOf(tab, counts) > 0) ?? "running";
}
