import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, data, type Schemas } from "../../api/client";
import { useChange } from "./queries";

export type Document = Schemas["DocumentOut"];
export type DocumentStatus = Schemas["DocumentStatus"];
export type DocumentFilter = { status: DocumentStatus | null; text: string };
export type Chunk = Schemas["ChunkOut"];

const PAGE = 100;
/** Beyond what is seen, so that slow scrolling never meets a gap. */
const AHEAD = 30;
/** A page that is only flown over is not asked for. */
const SETTLED_AFTER = 80;
/** What is out of sight is soon forgotten: memory stays flat however far one scrolls. */
const FORGOTTEN_AFTER = 10_000;
const MOST = 500;
const AT_ONCE = 4;

const at = (documentId: string) => ({ params: { path: { documentId } } });

function readDocuments(kbId: string, filter: DocumentFilter, limit: number, offset: number, signal?: AbortSignal) {
  const query = { status: filter.status ?? undefined, q: filter.text || undefined, limit, offset };
  const params = { path: { knowledgeBaseId: kbId }, query };
  return data(api.GET("/api/knowledge-bases/{knowledgeBaseId}/documents", { params, signal }));
}

type Pages<Item> = { items: Item[]; total: number };

/** Those pages of a long list that are in sight: `at(n)` is its n-th item once it is there. */
function usePages<Item>(
  key: readonly unknown[],
  read: (offset: number, signal: AbortSignal) => Promise<Pages<Item>>,
  first: number,
  last: number,
) {
  const from = Math.floor(Math.max(0, first - AHEAD) / PAGE);
  const to = Math.floor((last + AHEAD) / PAGE);
  const [shown, setShown] = useState({ from, to });
  useEffect(() => {
    const settling = setTimeout(() => setShown({ from, to }), SETTLED_AFTER);
    return () => clearTimeout(settling);
  }, [from, to]);
  const total = useRef<number>(undefined);
  const known = useRef(JSON.stringify(key));
  const lastPage = total.current === undefined ? shown.from : Math.max(0, Math.ceil(total.current / PAGE) - 1);
  // Another filter is another list, of a length that is not known yet.
  const begin = known.current === JSON.stringify(key) ? Math.min(shown.from, lastPage) : 0;
  const numbers = range(begin, Math.max(begin, Math.min(shown.to, lastPage)));
  const results = useQueries({
    queries: numbers.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(page * PAGE, signal),
      gcTime: FORGOTTEN_AFTER,
    })),
  });
  const newest = results.toSorted((a, b) => b.dataUpdatedAt - a.dataUpdatedAt)[0];
  if (newest?.data) {
    total.current = newest.data.total;
    known.current = JSON.stringify(key);
  }
  const failed = results.find((result) => result.error && !result.data);
  return {
    total: known.current === JSON.stringify(key) ? total.current : undefined,
    error: failed?.error ?? null,
    retry: () => results.forEach((result) => result.error && void result.refetch()),
    at: (index: number): Item | undefined => {
      const place = numbers.indexOf(Math.floor(index / PAGE));
      return place < 0 ? undefined : results[place]?.data?.items[index % PAGE];
    },
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, step) => from + step);

export function useDocuments(kbId: string, filter: DocumentFilter, first: number, last: number) {
  const read = (offset: number, signal: AbortSignal) => readDocuments(kbId, filter, PAGE, offset, signal);
  return usePages(["documents", kbId, filter], read, first, last);
}

export function useChunks(documentId: string, version: number, first: number, last: number) {
  const read = (offset: number, signal: AbortSignal) => {
    const params = { path: { documentId }, query: { limit: PAGE, offset } };
    return data(api.GET("/api/documents/{documentId}/chunks", { params, signal }));
  };
  return usePages(["documents", documentId, "chunks", version], read, first, last);
}

/** Every document that matches, for acts on all of them. */
export async function readAllDocuments(kbId: string, filter: DocumentFilter): Promise<Document[]> {
  const found: Document[] = [];
  for (;;) {
    const page = await readDocuments(kbId, filter, MOST, found.length);
    found.push(...page.items);
    if (page.items.length === 0 || found.length >= page.total) return found;
  }
}

export function useDocument(documentId: string) {
  return useQuery({
    queryKey: ["documents", documentId],
    queryFn: () => data(api.GET("/api/documents/{documentId}", at(documentId))),
  });
}

export function useVersions(documentId: string) {
  return useQuery({
    queryKey: ["documents", documentId, "versions"],
    queryFn: () => data(api.GET("/api/documents/{documentId}/versions", at(documentId))),
  });
}

export function useUpdateDocument(documentId: string) {
  return useChange(
    (body: { title?: string; tags?: Schemas["Tag"][] }) =>
      data(api.PATCH("/api/documents/{documentId}", { ...at(documentId), body })),
    "documents",
  );
}

export function useRefetch() {
  return useChange(
    (documentId: string) => data(api.POST("/api/documents/{documentId}/refetch", at(documentId))),
    "documents",
  );
}

export function useRetryDocuments() {
  return useChange(
    (documentIds: string[]) =>
      forEach(documentIds, (id) => data(api.POST("/api/documents/{documentId}/retry", at(id)))),
    "documents",
    "knowledge-bases",
    "operations",
  );
}

export function useDeleteDocuments() {
  const queryClient = useQueryClient();
  return useChange(
    async (documentIds: string[]) => {
      await forEach(documentIds, (id) => data(api.DELETE("/api/documents/{documentId}", at(id))));
      for (const id of documentIds) queryClient.removeQueries({ queryKey: ["documents", id] });
    },
    "documents",
    "knowledge-bases",
  );
}

/** A few at a time; one that fails does not keep the others from their turn, but is told of in the end. */
async function forEach(ids: string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const waiting = [...ids];
  const failures: unknown[] = [];
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await act(id).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
}

/** Leads the browser to the original, through a link that is good for a while; always to our own host. */
export function useDownload() {
  return useChange(async (documentId: string) => {
    const { url } = await data(api.GET("/api/documents/{documentId}/download", at(documentId)));
    const { pathname, search } = new URL(url);
    location.assign(pathname + search);
  });
}
