import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { PAGE_SIZE, type Tab, tabQuery } from "./tabs";

export type Operation = Schemas["OperationOut"];

/** How much waits, runs, failed and is done; live events keep it true. */
export function useOperationCounts(knowledgeBaseId?: string) {
  return useQuery({
    queryKey: ["operations", "counts", knowledgeBaseId ?? null],
    queryFn: () => data(api.GET("/api/operations/counts", { params: { query: { knowledgeBaseId } } })),
    placeholderData: keepPreviousData,
  });
}

/** One page of a tab, newest first; the page before stays while the next one comes. */
export function useOperations(tab: Tab, knowledgeBaseId: string | undefined, page: number) {
  return useQuery({
    queryKey: ["operations", tab, knowledgeBaseId ?? null, page],
    queryFn: () =>
      data(
        api.GET("/api/operations", {
          params: {
            query: { ...tabQuery(tab), knowledgeBaseId, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
          },
        }),
      ),
    placeholderData: (previous, query) => (query?.queryKey[1] === tab ? previous : undefined),
  });
}

/** How many of the failures another try may help. */
export function useRetryable(knowledgeBaseId: string | undefined) {
  return useQuery({
    queryKey: ["operations", "retryable", knowledgeBaseId ?? null],
    queryFn: async () => {
      const query = { status: ["failed" as const], retryable: true, knowledgeBaseId, limit: 1 };
      return (await data(api.GET("/api/operations", { params: { query } }))).total;
    },
  });
}

/** The names to filter by. */
export function useKnowledgeBaseNames() {
  return useQuery({
    queryKey: ["knowledge-bases", "names"],
    queryFn: async () => {
      const page = await data(api.GET("/api/knowledge-bases", { params: { query: { limit: 500 } } }));
      return page.items.map(({ id, name }) => ({ id, name }));
    },
  });
}

/** An act on background work changes documents and knowledge bases too. */
function useAct<Input, Output>(act: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: act,
    // Also where it failed: then things were not as they were shown.
    onSettled: () =>
      Promise.all(
        ["operations", "documents", "knowledge-bases", "generations"].map((first) =>
          queryClient.invalidateQueries({ queryKey: [first] }),
        ),
      ),
  });
}

export function useCancelOperation() {
  return useAct((operationId: string) =>
    data(api.POST("/api/operations/{operationId}/cancel", { params: { path: { operationId } } })),
  );
}

export function useRetryOperation() {
  return useAct((operationId: string) =>
    data(api.POST("/api/operations/{operationId}/retry", { params: { path: { operationId } } })),
  );
}

export function useRetryFailed() {
  return useAct((knowledgeBaseId: string | null) =>
    data(api.POST("/api/operations/retry", { body: { knowledgeBaseId } })),
  );
}
