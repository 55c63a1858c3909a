import { keepPreviousData, useMutation, useQueries, useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";
import { type SearchState, toRequest } from "./searchState";

/** How many passages of a document are fetched at a time. */
export const CHUNKS_AT_ONCE = 50;

/** The passages that answer a question; nothing is asked while there is none. */
export function useSearch(state: SearchState) {
  const body = toRequest(state);
  return useQuery({
    queryKey: ["search", "hits", body],
    queryFn: ({ signal }) => data(api.POST("/api/search", { body, signal })),
    enabled: state.question !== "",
    placeholderData: keepPreviousData,
  });
}

/** Sentences of the documents that answer a question. */
export function useAnswer(state: SearchState) {
  const body = toRequest(state);
  return useQuery({
    queryKey: ["search", "answer", body],
    queryFn: ({ signal }) => data(api.POST("/api/ask", { body, signal })),
    enabled: state.question !== "",
    placeholderData: keepPreviousData,
  });
}

export function useKnowledgeBases() {
  return useQuery({
    queryKey: ["knowledge-bases"],
    queryFn: () => data(api.GET("/api/knowledge-bases", { params: { query: { limit: 500 } } })),
  });
}

export function useRerankers() {
  return useQuery({ queryKey: ["rerankers"], queryFn: () => data(api.GET("/api/rerankers")) });
}

export function useDocument(documentId: string) {
  return useQuery({
    queryKey: ["documents", "viewed", documentId],
    queryFn: () => data(api.GET("/api/documents/{documentId}", { params: { path: { documentId } } })),
  });
}

/** The passage that is to be shown; none where the address names none. */
export function useChunk(documentId: string, chunkId: string) {
  return useQuery({
    queryKey: ["documents", "viewed", documentId, "chunk", chunkId],
    queryFn: () =>
      data(api.GET("/api/documents/{documentId}/chunks/{chunkId}", { params: { path: { documentId, chunkId } } })),
    enabled: chunkId !== "",
  });
}

/** Some pages of a document's passages, by the number of the page. */
export function useChunkPages(documentId: string, pages: number[]) {
  return useQueries({
    queries: pages.map((page) => ({
      queryKey: ["documents", "viewed", documentId, "chunks", page],
      queryFn: () => fetchChunks(documentId, page),
    })),
  });
}

function fetchChunks(documentId: string, page: number) {
  const query = { limit: CHUNKS_AT_ONCE, offset: page * CHUNKS_AT_ONCE };
  return data(api.GET("/api/documents/{documentId}/chunks", { params: { path: { documentId }, query } }));
}

/** A link to the original that is good for a quarter of an hour. */
export function signOriginal(documentId: string) {
  return data(api.GET("/api/documents/{documentId}/download", { params: { path: { documentId } } }));
}

/** Hands the original to the browser as a download. */
export function useDownload(documentId: string) {
  return useMutation({
    mutationFn: async () => {
      const link = document.createElement("a");
      link.href = pathOf((await signOriginal(documentId)).url);
      link.download = "";
      link.click();
    },
  });
}

/** The server names itself as it knows itself; the page stays with the address it was loaded from. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
