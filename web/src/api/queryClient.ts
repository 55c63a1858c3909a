import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client";

/** Who is signed in; every guard looks at this query. */
export const ME = ["me"] as const;

/** A session can end at any moment. Asking again who we are lets the guard lead to the sign-in page. */
function noticeSignOut(error: Error, key?: readonly unknown[]): void {
  if (error instanceof ApiError && error.signedOut && key?.[0] !== ME[0]) {
    queryClient.invalidateQueries({ queryKey: ME });
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => noticeSignOut(error, query.queryKey) }),
  mutationCache: new MutationCache({ onError: (error) => noticeSignOut(error) }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What the server refused it will refuse again; what did not arrive may arrive the second time.
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
    },
  },
});
