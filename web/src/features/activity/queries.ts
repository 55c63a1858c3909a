import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, data } from "../../api/client";
import { followStream } from "../../api/events";
import { type Call, type Calls, type Filter, PAGE_SIZE, withNew } from "./calls";

const CALLS = "calls";
/** Calls that come in quick succession are shown together. */
const TOGETHER = 200;

function keyOf(filter: Filter, before: string | null) {
  return [CALLS, filter.tool ?? null, filter.agent ?? null, filter.result ?? null, before];
}

export function useCalls(filter: Filter, before: string | null) {
  return useQuery({
    queryKey: keyOf(filter, before),
    queryFn: () =>
      data(
        api.GET("/api/activity", { params: { query: { ...filter, before: before ?? undefined, limit: PAGE_SIZE } } }),
      ),
    // What was shown stays until the next is there, and whoever pressed something in it keeps their place.
    placeholderData: keepPreviousData,
  });
}

/** Puts calls on the newest page as they are made. Whether it hears of them now. */
export function useLiveCalls(filter: Filter, enabled: boolean): boolean {
  const queryClient = useQueryClient();
  const [hears, setHears] = useState(false);
  const { tool, agent, result } = filter;
  useEffect(() => {
    if (!enabled) return;
    const stopping = new AbortController();
    const wanted = { tool, agent, result };
    let waiting: Call[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      const made = waiting;
      waiting = [];
      timer = undefined;
      queryClient.setQueryData<Calls>(keyOf(wanted, null), (page) => page && withNew(page, made, wanted));
    };
    followStream<Call>("/api/activity/events", stopping.signal, {
      onOpen: () => {
        setHears(true);
        // What was called before the stream began is only in the list.
        queryClient.invalidateQueries({ queryKey: keyOf(wanted, null) });
      },
      onEvent: (call) => {
        waiting.push(call);
        timer ??= setTimeout(show, TOGETHER);
      },
      onEnd: () => setHears(false),
    });
    return () => {
      stopping.abort();
      clearTimeout(timer);
      setHears(false);
    };
  }, [queryClient, enabled, tool, agent, result]);
  return hears;
}

/** The names of the keys there are, to filter by. */
export function useKeyNames() {
  return useQuery({
    queryKey: ["keys"],
    queryFn: () => data(api.GET("/api/keys")),
    select: (keys) => [...new Set(keys.map(({ name }) => name))],
  });
}
