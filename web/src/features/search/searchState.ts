/** A search as it stands in the address, so that it can be shared and found again. */
import type { Schemas } from "../../api/client";
import { readTag } from "../../components/tags";

export type Kind = Schemas["DocumentKind"];
export type SearchState = {
  question: string;
  knowledgeBases: string[];
  kinds: Kind[];
  /** As they are written: `name=value`, or a bare value. */
  tags: string[];
  /** Days as an `<input type="date">` writes them; empty for any. */
  from: string;
  to: string;
  count: number;
  minScore: number;
  multiHop: boolean;
  diversity: number;
  /** A name, `none`, or empty for the workspace's own. */
  reranker: string;
};

export const KINDS: Kind[] = ["file", "note", "memory"];
export const DEFAULT_COUNT = 10;
const LARGEST_COUNT = 20;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function numberFrom(text: string | null, fallback: number, most: number): number {
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 && value <= most ? value : fallback;
}

/** What an address asks for; whatever in it makes no sense counts as left out. */
export function readState(parameters: URLSearchParams): SearchState {
  const day = (name: string) => (DAY.test(parameters.get(name) ?? "") ? (parameters.get(name) as string) : "");
  return {
    question: (parameters.get("q") ?? "").trim(),
    knowledgeBases: parameters.getAll("kb"),
    kinds: KINDS.filter((kind) => parameters.getAll("kind").includes(kind)),
    tags: parameters.getAll("tag"),
    from: day("from"),
    to: day("to"),
    count: Math.max(1, Math.round(numberFrom(parameters.get("count"), DEFAULT_COUNT, LARGEST_COUNT))),
    minScore: numberFrom(parameters.get("min"), 0, 1),
    multiHop: parameters.get("hop") === "1",
    diversity: numberFrom(parameters.get("diversity"), 0, 1),
    reranker: parameters.get("reranker") ?? "",
  };
}

/** The address of a search; what is as usual is left out. */
export function writeState(state: SearchState): URLSearchParams {
  const parameters = new URLSearchParams();
  if (state.question) parameters.set("q", state.question);
  for (const kb of state.knowledgeBases) parameters.append("kb", kb);
  for (const kind of state.kinds) parameters.append("kind", kind);
  for (const tag of state.tags) parameters.append("tag", tag);
  if (state.from) parameters.set("from", state.from);
  if (state.to) parameters.set("to", state.to);
  if (state.count !== DEFAULT_COUNT) parameters.set("count", String(state.count));
  if (state.minScore) parameters.set("min", String(state.minScore));
  if (state.multiHop) parameters.set("hop", "1");
  if (state.diversity) parameters.set("diversity", String(state.diversity));
  if (state.reranker) parameters.set("reranker", state.reranker);
  return parameters;
}

/** What the server is asked. A day begins and ends where the person is. */
export function toRequest(state: SearchState): Schemas["SearchIn"] {
  return {
    query: state.question,
    knowledgeBaseIds: state.knowledgeBases,
    kinds: state.kinds,
    tagFilters: state.tags.map(readTag),
    updatedFrom: state.from ? new Date(`${state.from}T00:00:00`).toISOString() : null,
    updatedTo: state.to ? new Date(`${state.to}T23:59:59.999`).toISOString() : null,
    topK: state.count,
    multiHop: state.multiHop,
    diversity: state.diversity,
    // Left out, each endpoint has a default of its own: an answer needs a better passage than a hit.
    ...(state.minScore ? { minScore: state.minScore } : {}),
    ...(state.reranker ? { reranker: state.reranker } : {}),
  };
}

export function countFilters(state: SearchState): number {
  return (state.kinds.length ? 1 : 0) + state.tags.length + (state.from ? 1 : 0) + (state.to ? 1 : 0);
}

export function countOptions(state: SearchState): number {
  const { count, minScore, multiHop, diversity, reranker } = state;
  return [count !== DEFAULT_COUNT, minScore, multiHop, diversity, reranker].filter(Boolean).length;
}
