import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorState } from "./ErrorState";
import { Loading } from "./Loading";

type Props<Data> = { query: UseQueryResult<Data>; children: (data: Data) => ReactNode; rows?: number };

/** A query's data once it is there; until then the skeleton, and in its place an error with a retry. */
export function QueryState<Data>({ query, children, rows }: Props<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return <Loading rows={rows} />;
}
