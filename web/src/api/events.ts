/** What happens on the server, as it happens. EventSource cannot name the workspace in a header, so fetch reads it. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { renewTools } from "./tools";
import { chosenWorkspace } from "./workspace";

export type LiveEvent = {
  type: string;
  operationId: string;
  documentId: string | null;
  knowledgeBaseId: string;
  progress: number;
};

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;
const LONGEST_SILENCE = 40_000;
/** Many files at once make many events; lists are asked for again at most this often. */
const REFRESH_EVERY = 1_000;
/** The first part of the keys of all queries that background work can change. */
const CHANGING = ["knowledge-bases", "documents", "operations", "generations"];

const listeners = new Set<(event: LiveEvent) => void>();

let connected = true;
const watchers = new Set<() => void>();

function noteConnection(now: boolean): void {
  if (now === connected) return;
  connected = now;
  for (const watcher of watchers) watcher();
}

/** Whether the server can be reached; it is being tried again all the while when not. */
export function useConnected(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connected,
  );
}

/** No answer came, or no more of it. */
class Lost extends Error {}

/** The server says that it is still there every 15 seconds; a network that went away says nothing at all. */
async function soon<Value>(reading: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, give) => {
    timer = setTimeout(() => give(new Lost()), LONGEST_SILENCE);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Some time, or until the browser is back in a network. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resume();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener("online", done);
  });
}

const unseen = () => document.visibilityState === "hidden";

/** Until somebody looks at the page, or `stopping`. */
function seen(stopping: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const done = new AbortController();
    const look = () => {
      if (unseen() && !stopping.aborted) return;
      done.abort();
      resume();
    };
    document.addEventListener("visibilitychange", look, { signal: done.signal });
    stopping.addEventListener("abort", look, { signal: done.signal });
    look();
  });
}

/**
 * Ends with `stopping`, or when nobody looks at the page any more. A browser opens six lines to a server, for all its
 * tabs and the pages it keeps for going back together: if each held one, the seventh would wait for ever.
 */
function openLine(stopping: AbortSignal): AbortController {
  const line = new AbortController();
  const { signal } = line;
  stopping.addEventListener("abort", () => line.abort(), { signal });
  document.addEventListener("visibilitychange", () => unseen() && line.abort(), { signal });
  return line;
}

/** The events in a piece of a stream, and what of it is not complete yet. */
export function parseEvents<Event = LiveEvent>(text: string): { events: Event[]; rest: string } {
  const blocks = text.split("\n\n");
  const rest = blocks.pop() ?? "";
  const events: Event[] = [];
  for (const block of blocks) {
    const lines = block.split("\n");
    const type = lines.find((line) => line.startsWith("event: "))?.slice(7);
    const body = lines.find((line) => line.startsWith("data: "))?.slice(6);
    if (type && body) events.push({ type, ...JSON.parse(body) });
  }
  return { events, rest };
}

async function readStream<Event>(
  path: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: Event) => void,
): Promise<void> {
  const workspace = chosenWorkspace();
  const headers = workspace ? { "X-Pinakes-Workspace": workspace } : undefined;
  const response = await fetch(path, { signal, headers });
  // A refusal is an answer too; what a proxy says in the server's place is none.
  if (response.status >= 502) throw new Lost();
  onOpen();
  if (!response.ok || !response.body) throw new Error(`No events: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await soon(reader.read());
    if (done) return;
    const { events, rest } = parseEvents<Event>(waiting + value);
    waiting = rest;
    events.forEach(onEvent);
  }
}

type Following<Event> = {
  onOpen: () => void;
  onEvent: (event: Event) => void;
  /** The stream ended, or nobody looked at the page any more. */
  onEnd?: () => void;
  onLost?: () => void;
};

/** Reads a stream while the page is looked at, until it is told to stop; comes back after every interruption. */
export async function followStream<Event>(
  path: string,
  stopping: AbortSignal,
  { onOpen, onEvent, onEnd, onLost }: Following<Event>,
): Promise<void> {
  let wait = FIRST_WAIT;
  while (!stopping.aborted) {
    await seen(stopping);
    const line = openLine(stopping);
    try {
      await readStream<Event>(path, line.signal, onOpen, (event) => {
        wait = FIRST_WAIT;
        onEvent(event);
      });
    } catch (cause) {
      // A fetch that fails on its way is a TypeError.
      const lost = cause instanceof TypeError || cause instanceof Lost;
      if (lost && !line.signal.aborted) onLost?.();
      wait = line.signal.aborted ? FIRST_WAIT : Math.min(wait * 2, LONGEST_WAIT);
    }
    if (!stopping.aborted) onEnd?.();
    if (!line.signal.aborted) await pause(wait);
    line.abort();
  }
}

/** What could not be asked while the server was away is asked again, so that nobody has to press anything. */
function retryFailed(queryClient: QueryClient): void {
  void queryClient.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
}

/** Keeps lists true while the page is looked at. Used once, by the shell. */
export function useLiveQueries(workspaceId: string): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const stopping = new AbortController();
    let refreshing: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      refreshing ??= setTimeout(() => {
        refreshing = undefined;
        for (const first of CHANGING) queryClient.invalidateQueries({ queryKey: [first] });
      }, REFRESH_EVERY);
    };
    let before = false;
    const opened = () => {
      // What happened between two streams was not heard, and what was asked for meanwhile got no answer.
      if (before || !connected) {
        refresh();
        renewTools(queryClient);
      }
      if (!connected) retryFailed(queryClient);
      before = true;
      noteConnection(true);
    };
    followStream<LiveEvent>("/api/events", stopping.signal, {
      onOpen: opened,
      onEvent: (event) => {
        if (event.type === "switched") return renewTools(queryClient);
        for (const listener of listeners) listener(event);
        refresh();
      },
      onLost: () => noteConnection(false),
    });
    return () => {
      stopping.abort();
      clearTimeout(refreshing);
    };
  }, [queryClient, workspaceId]);
}

/** Hear of every event while a component is shown, for progress bars and the like. */
export function useLiveEvent(listener: (event: LiveEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hear = (event: LiveEvent) => latest.current(event);
    listeners.add(hear);
    return () => {
      listeners.delete(hear);
    };
  }, []);
}
