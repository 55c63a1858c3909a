/** What happens on the server, as it happens. EventSource cannot name the workspace in a header, so fetch reads it. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
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
  onEnd?: () => void;
  onLost?: () => void;
};

/** Reads a stream until it is told to stop; comes back after every interruption. */
export async function followStream<Event>(
  path: string,
  stopping: AbortSignal,
  { onOpen, onEvent, onEnd, onLost }: Following<Event>,
): Promise<void> {
  let wait = FIRST_WAIT;
  while (!stopping.aborted) {
    try {
      await readStream<Event>(path, stopping, onOpen, (event) => {
        wait = FIRST_WAIT;
        onEvent(event);
      });
      onEnd?.();
    } catch (cause) {
      // A fetch that fails on its way is a TypeError.
      const lost = cause instanceof TypeError || cause instanceof Lost;
      if (lost && !stopping.aborted) onLost?.();
      wait = Math.min(wait * 2, LONGEST_WAIT);
    }
    if (!stopping.aborted) await pause(wait);
  }
}

/** Keeps lists true while the page is open. Used once, by the shell. */
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
    const opened = () => {
      if (!connected) refresh();
      noteConnection(true);
    };
    followStream<LiveEvent>("/api/events", stopping.signal, {
      onOpen: opened,
      onEvent: (event) => {
        for (const listener of listeners) listener(event);
        refresh();
      },
      // What happened between two streams was not heard.
      onEnd: refresh,
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
