import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data } from "../../api/client";

/** The passages that answer a question; nothing is asked while there is none. */
export function useSearch(query: string) {
  return useQuery({
    queryKey: ["search", query],
    queryFn: ({ signal }) => data(api.POST("/api/search", { body: { query }, signal })),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
}
