import { useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";

/** The latest background work, newest first; live events keep it true. */
export function useOperations() {
  return useQuery({
    queryKey: ["operations"],
    queryFn: () => data(api.GET("/api/operations", { params: { query: { limit: 50 } } })),
  });
}
