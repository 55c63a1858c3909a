import { useQuery } from "@tanstack/react-query";
import { api, data, type Schemas } from "./client";

export type Tool = Schemas["ToolOut"];
export const TOOLS = ["tools"] as const;

/** Every tool of every toolset, with its switch. */
export function useTools() {
  return useQuery({ queryKey: TOOLS, queryFn: () => data(api.GET("/api/tools")) });
}
