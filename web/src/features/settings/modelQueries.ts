/** Embedding models and re-rankers that a workspace brings itself. */
import { useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { useChange } from "./queries";

export type Embedder = Schemas["EmbedderOut"];
export type Reranker = Schemas["RerankerOut"];

export function useEmbedders() {
  return useQuery({ queryKey: ["embedders"], queryFn: () => data(api.GET("/api/embedders")) });
}

/** A new one, or changes to one that has an id. */
export function useSaveEmbedder(embedderId: string | null) {
  return useChange(
    (body: Schemas["EmbedderIn"]) =>
      embedderId
        ? data(api.PATCH("/api/embedders/{embedderId}", { params: { path: { embedderId } }, body }))
        : data(api.POST("/api/embedders", { body })),
    "embedders",
  );
}

export function useTestEmbedder() {
  return useChange((embedderId: string) =>
    data(api.POST("/api/embedders/{embedderId}/test", { params: { path: { embedderId } } })),
  );
}

export function useDeleteEmbedder() {
  return useChange(
    (embedderId: string) => data(api.DELETE("/api/embedders/{embedderId}", { params: { path: { embedderId } } })),
    "embedders",
  );
}

export function useRerankers() {
  return useQuery({ queryKey: ["rerankers"], queryFn: () => data(api.GET("/api/rerankers")) });
}

export function useSaveReranker(rerankerId: string | null) {
  return useChange(
    (body: Schemas["RerankerIn"]) =>
      rerankerId
        ? data(api.PATCH("/api/rerankers/{rerankerId}", { params: { path: { rerankerId } }, body }))
        : data(api.POST("/api/rerankers", { body })),
    "rerankers",
  );
}

export function useTestReranker() {
  return useChange((rerankerId: string) =>
    data(api.POST("/api/rerankers/{rerankerId}/test", { params: { path: { rerankerId } } })),
  );
}

/** Have every search use a re-ranker that names no other; null for none. */
export function useDefaultReranker() {
  return useChange(
    (rerankerId: string | null) => data(api.PUT("/api/rerankers/default", { body: { rerankerId } })),
    "rerankers",
  );
}

export function useDeleteReranker() {
  return useChange(
    (rerankerId: string) => data(api.DELETE("/api/rerankers/{rerankerId}", { params: { path: { rerankerId } } })),
    "rerankers",
  );
}
