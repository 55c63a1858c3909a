import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError, api, data } from "./client";
import { ME } from "./queryClient";
import { chooseWorkspace, chosenWorkspace } from "./workspace";

const me = queryOptions({
  queryKey: ME,
  queryFn: async () => {
    try {
      return await data(api.GET("/api/me"));
    } catch (error) {
      // The chosen workspace may be gone, or closed to us; there may be others.
      if (!(error instanceof ApiError && error.status === 404 && chosenWorkspace())) throw error;
      chooseWorkspace(null);
      return data(api.GET("/api/me"));
    }
  },
});

/** Who is signed in, where, and what they may do there. */
export function useMe() {
  return useQuery(me);
}
