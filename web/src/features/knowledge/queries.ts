import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { chosenWorkspace } from "../../api/workspace";

export type KnowledgeBase = Schemas["KnowledgeBaseOut"];
export type Generation = Schemas["GenerationOut"];
export type Embedder = Schemas["EmbedderOut"];

/** What a request means by the model that comes with us, and by none at all. */
export const BUILT_IN = "builtin";
export const KEYWORDS_ONLY = "none";

const at = (knowledgeBaseId: string) => ({ params: { path: { knowledgeBaseId } } });

/** A change that makes lists untrue, and which ones. */
export function useChange<Input, Output>(change: (input: Input) => Promise<Output>, ...stale: string[]) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(stale.map((first) => queryClient.invalidateQueries({ queryKey: [first] }))),
  });
}

/** All knowledge bases of the workspace, with how much they hold. */
export function useKnowledgeBases() {
  return useQuery({
    queryKey: ["knowledge-bases"],
    queryFn: () => data(api.GET("/api/knowledge-bases", { params: { query: { limit: 500 } } })),
  });
}

export function useKnowledgeBase(kbId: string) {
  return useQuery({
    queryKey: ["knowledge-bases", kbId],
    queryFn: () => data(api.GET("/api/knowledge-bases/{knowledgeBaseId}", at(kbId))),
    enabled: kbId !== "",
  });
}

export function useCreateKnowledgeBase() {
  return useChange(
    (body: Pick<Schemas["KnowledgeBaseIn"], "name" | "description" | "lifecycleDays" | "embedder">) =>
      data(api.POST("/api/knowledge-bases", { body })),
    "knowledge-bases",
  );
}

export function useUpdateKnowledgeBase(kbId: string) {
  return useChange(
    (body: { name: string; description: string; lifecycleDays: number }) =>
      data(api.PATCH("/api/knowledge-bases/{knowledgeBaseId}", { ...at(kbId), body })),
    "knowledge-bases",
    "documents",
  );
}

export function useDeleteKnowledgeBase() {
  const queryClient = useQueryClient();
  return useChange(async (knowledgeBaseId: string) => {
    const params = { path: { knowledgeBaseId }, query: { confirm: true } };
    const freed = await data(api.DELETE("/api/knowledge-bases/{knowledgeBaseId}", { params }));
    // What is gone must not be asked for again on the way out.
    for (const first of ["knowledge-bases", "documents", "generations"]) {
      queryClient.removeQueries({ queryKey: [first, knowledgeBaseId] });
    }
    await queryClient.invalidateQueries({ queryKey: ["knowledge-bases"], exact: true });
    return freed;
  });
}

export function useImportBundle() {
  return useChange(async ({ file, name }: { file: File; name: string }) => {
    const body = new FormData();
    body.append("file", file);
    if (name.trim()) body.append("name", name.trim());
    // Its body is a form, which the generated types take for a text.
    const send = { body: body as never, bodySerializer: (form: unknown) => form as FormData };
    return data(api.POST("/api/knowledge-bases/import", send));
  }, "knowledge-bases");
}

/** A knowledge base as a file, which the browser itself takes: it may be larger than memory. */
export function useExportBundle() {
  return useMutation({
    mutationFn: async ({ kb, vectors }: { kb: KnowledgeBase; vectors: boolean }) => {
      // A download that is refused tells nobody why, so the same is asked before.
      await data(api.GET("/api/knowledge-bases/{knowledgeBaseId}", at(kb.id)));
      const workspaceId = chosenWorkspace();
      const query = new URLSearchParams({ vectors: String(vectors), ...(workspaceId && { workspaceId }) });
      const link = document.createElement("a");
      link.href = `/api/knowledge-bases/${encodeURIComponent(kb.id)}/export?${query}`;
      link.download = "";
      link.click();
    },
  });
}

/** The workspace's own embedding models. */
export function useEmbedders() {
  return useQuery({ queryKey: ["embedders"], queryFn: () => data(api.GET("/api/embedders")) });
}

export function useGenerations(kbId: string) {
  return useQuery({
    queryKey: ["generations", kbId],
    queryFn: () => data(api.GET("/api/knowledge-bases/{knowledgeBaseId}/generations", at(kbId))),
  });
}

export function useOperation(operationId: string | null) {
  return useQuery({
    queryKey: ["operations", operationId],
    queryFn: () =>
      data(api.GET("/api/operations/{operationId}", { params: { path: { operationId: operationId ?? "" } } })),
    enabled: operationId !== null,
    placeholderData: keepPreviousData,
  });
}

/** Why the last change of the model failed. */
export function useFailedSwitch(kbId: string, enabled: boolean) {
  return useQuery({
    queryKey: ["operations", "failed", kbId],
    queryFn: async () => {
      const page = await data(api.GET("/api/operations", { params: { query: { status: ["failed"], limit: 100 } } }));
      return page.items.find((operation) => operation.kind === "switch" && operation.knowledgeBaseId === kbId) ?? null;
    },
    enabled,
  });
}

export function useSwitchModel(kbId: string) {
  return useChange(
    (embedder: string) =>
      data(api.POST("/api/knowledge-bases/{knowledgeBaseId}/generations", { ...at(kbId), body: { embedder } })),
    "generations",
    "knowledge-bases",
    "operations",
  );
}

export function useCancelSwitch() {
  return useChange(
    (operationId: string) =>
      data(api.POST("/api/operations/{operationId}/cancel", { params: { path: { operationId } } })),
    "generations",
    "knowledge-bases",
    "operations",
  );
}

export function useDropGeneration(knowledgeBaseId: string) {
  return useChange((generationId: string) => {
    const params = { path: { knowledgeBaseId, generationId } };
    return data(api.DELETE("/api/knowledge-bases/{knowledgeBaseId}/generations/{generationId}", { params }));
  }, "generations");
}

export function useCalibrate(kbId: string) {
  return useMutation({
    mutationFn: () => data(api.POST("/api/knowledge-bases/{knowledgeBaseId}/calibration", at(kbId))),
  });
}
