/** What is shown of the calls, and what becomes of a page of them when another one is made. */
import type { Schemas } from "../../api/client";

export type Call = Schemas["CallOut"];
export type Calls = Schemas["CallsOut"];
export type Result = Schemas["CallResult"];
export type Filter = { tool?: string; agent?: string; result?: Result };

export const RESULTS: Result[] = ["success", "error", "refused", "fault"];
export const PAGE_SIZE = 50;

export function asResult(value: string | null): Result | undefined {
  return RESULTS.find((result) => result === value);
}

/** Whether a call is among those looked for; the server says the same of those it lists. */
export function isWanted(call: Call, { tool, agent, result }: Filter): boolean {
  return (
    (!tool || call.tool === tool) &&
    (!result || call.result === result) &&
    (!agent || [call.agentName, call.keyName, call.keyId].includes(agent))
  );
}

/** The newest page with new calls on it, newest first and no longer than a page; what falls off is on the next. */
export function withNew(page: Calls, made: Call[], filter: Filter): Calls {
  const known = new Set(page.items.map(({ id }) => id));
  const added = made.filter((call) => !known.has(call.id) && isWanted(call, filter));
  if (added.length === 0) return page;
  const all = [...page.items, ...added].sort((one, other) => (one.id < other.id ? 1 : -1));
  const items = all.slice(0, PAGE_SIZE);
  return { items, next: all.length > PAGE_SIZE ? (items.at(-1)?.id ?? null) : page.next };
}
