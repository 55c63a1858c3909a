import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";

/** All knowledge bases of the workspace, with how much they hold. */
export function useKnowledgeBases() {
  return useQuery({
    queryKey: ["knowledge-bases"],
    queryFn: () => data(api.GET("/api/knowledge-bases", { params: { query: { limit: 500 } } })),
  });
}
