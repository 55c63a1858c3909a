import { useIsMutating, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data, type Schemas } from "../../api/client";
import { SWITCHING, TOOLS, TOOLSETS, type Tool } from "../../api/tools";

export type Toolset = Schemas["ManifestOut"];
export type Answer = Schemas["ToolAnswerOut"] & { milliseconds: number };
type Switches = Record<string, boolean>;

export function useToolsets() {
  return useQuery({ queryKey: TOOLSETS, queryFn: () => data(api.GET("/api/toolsets")) });
}

/** Switches move at once and go back where the server says no. */
export function useSwitchTools() {
  const queryClient = useQueryClient();
  const others = useIsMutating({ mutationKey: SWITCHING });
  const show = (isOn: (tool: Tool) => boolean) =>
    queryClient.setQueryData<Tool[]>(TOOLS, (tools) => tools?.map((tool) => ({ ...tool, isOn: isOn(tool) })));
  return useMutation({
    mutationKey: SWITCHING,
    mutationFn: (switches: Switches) => data(api.PATCH("/api/tools", { body: { switches } })),
    onMutate: async (switches) => {
      await queryClient.cancelQueries({ queryKey: TOOLS });
      const before = new Map(queryClient.getQueryData<Tool[]>(TOOLS)?.map((tool) => [tool.name, tool.isOn]));
      show((tool) => switches[tool.name] ?? tool.isOn);
      return before;
    },
    // Only what was tried here goes back: another switch may have moved meanwhile.
    onError: (_, switches, before) =>
      show((tool) => (tool.name in switches ? (before?.get(tool.name) ?? tool.isOn) : tool.isOn)),
    onSettled: () => (others > 1 ? undefined : queryClient.invalidateQueries({ queryKey: TOOLS })),
  });
}

/** Calls a tool as the person who is signed in; what it could change is asked for again. */
export function useCallTool(tool: Tool) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: Record<string, unknown>): Promise<Answer> => {
      const begun = performance.now();
      const answer = await data(
        api.POST("/api/tools/{toolName}", { params: { path: { toolName: tool.name } }, body: input }),
      );
      return { ...answer, milliseconds: performance.now() - begun };
    },
    onSettled: () => {
      if (!tool.annotations.readOnly)
        queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    },
  });
}

/** The names of the catalogs there are, to choose from where a tool wants one. */
export function useCatalogNames(enabled: boolean) {
  return useQuery({
    queryKey: ["knowledge-bases", "catalog-names"],
    queryFn: async () => {
      const page = await data(api.GET("/api/knowledge-bases", { params: { query: { limit: 500 } } }));
      return [...new Set(page.items.map(({ name }) => name))];
    },
    enabled,
  });
}
