import { type QueryClient, useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "./client";

export type Tool = Schemas["ToolOut"];
export const TOOLS = ["tools"] as const;
export const TOOLSETS = ["toolsets"] as const;
export const SWITCHING = ["switching tools"];

/** Every tool of every toolset, with its switch. */
export function useTools() {
  return useQuery({ queryKey: TOOLS, queryFn: () => data(api.GET("/api/tools")) });
}

/** Somebody switched tools. While one is being switched here, what the server still says of it must not be shown. */
export function renewTools(queryClient: QueryClient): void {
  if (queryClient.isMutating({ mutationKey: SWITCHING }) > 0) return;
  for (const queryKey of [TOOLS, TOOLSETS]) queryClient.invalidateQueries({ queryKey });
}
