/** What is being added. It lives outside of React, so that it goes on whichever page is open. */
import { ApiError } from "../../api/client";
import type { LiveEvent } from "../../api/events";
import { isBusy, isUnderWay, isUnsent, type Upload } from "./upload";

export type Member = { name: string; documentId: string | null; operationId: string | null; error: unknown };
export type Sent =
  { documentId: string; operationId: string | null; replacing: boolean; unchanged: boolean } | { members: Member[] };
export type Looked = { state: "waiting" | "indexing" | "indexed" | "failed"; progress: number; error: unknown };

/** The server, as the queue needs it. */
export type Carrier = {
  send(upload: Upload, onProgress: (percent: number) => void, signal: AbortSignal): Promise<Sent>;
  look(upload: Upload): Promise<Looked>;
};

export type NewUpload = Pick<Upload, "workspaceId" | "kbId" | "name" | "content"> & { replace?: boolean };

const AT_ONCE = 4;
/** Events that nobody heard, while the line was down, are made up for by looking. */
const LOOK_EVERY = 5_000;
const LOOK_AT = 8;
const MOST_REMEMBERED = 2_000;

export class UploadQueue {
  private uploads: readonly Upload[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly stops = new Map<number, AbortController>();
  /** An operation may be over before the answer to its upload arrives. */
  private readonly over = new Map<string, LiveEvent>();
  private looking: ReturnType<typeof setInterval> | undefined;
  private lastId = 0;

  constructor(private readonly carrier: Carrier) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  list = (): readonly Upload[] => this.uploads;

  add(wanted: NewUpload[]): void {
    const made = wanted.map((upload) => this.make({ replace: false, ...upload }));
    this.show([...this.uploads, ...made]);
    this.looking ??= setInterval(() => this.look(), LOOK_EVERY);
    this.sendNext();
  }

  cancel(id: number): void {
    this.stops.get(id)?.abort();
    const upload = this.find(id);
    if (upload && isUnsent(upload)) this.change(id, { state: "cancelled" });
    this.sendNext();
  }

  cancelAll(): void {
    for (const upload of this.uploads.filter(isUnsent).reverse()) this.cancel(upload.id);
  }

  /** Send once more what never arrived. */
  retry(id: number): void {
    this.change(id, { state: "queued", progress: 0, error: null });
    this.sendNext();
  }

  replace(id: number): void {
    this.change(id, { state: "queued", replace: true, progress: 0, error: null });
    this.sendNext();
  }

  /** Forget everything that is over. */
  clear(): void {
    this.show(this.uploads.filter(isBusy));
    if (this.uploads.length === 0) {
      clearInterval(this.looking);
      this.looking = undefined;
      this.over.clear();
    }
  }

  hear = (event: LiveEvent): void => {
    const upload = this.uploads.find(({ operationId }) => operationId === event.operationId);
    if (!upload) {
      if (this.over.size >= MOST_REMEMBERED) this.over.clear();
      if (event.type !== "progress" && this.looking) this.over.set(event.operationId, event);
    } else if (isUnderWay(upload)) {
      if (event.type === "progress") this.change(upload.id, { state: "indexing", progress: event.progress });
      else if (event.type === "done") this.change(upload.id, settled(upload));
      else this.lookAt(upload);
    }
  };

  private make(upload: NewUpload & { replace: boolean }): Upload {
    this.lastId += 1;
    const fresh = { progress: 0, documentId: null, operationId: null, replacing: false, error: null };
    return {
      id: this.lastId,
      state: "queued",
      ...fresh,
      taken: 0,
      refused: 0,
      clashing: 0,
      archiveId: null,
      ...upload,
    };
  }

  private sendNext(): void {
    for (const upload of this.uploads) {
      if (this.stops.size >= AT_ONCE) return;
      if (upload.state === "queued") void this.send(upload);
    }
  }

  private async send(upload: Upload): Promise<void> {
    const stop = new AbortController();
    this.stops.set(upload.id, stop);
    this.change(upload.id, { state: "sending", progress: 0 });
    const onProgress = (progress: number) => {
      if (this.find(upload.id)?.progress !== progress) this.change(upload.id, { progress });
    };
    try {
      this.receive(upload.id, await this.carrier.send(upload, onProgress, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) this.change(upload.id, { state: refusalOf(error), error });
    } finally {
      this.stops.delete(upload.id);
      this.sendNext();
    }
  }

  private receive(id: number, sent: Sent): void {
    const upload = this.find(id);
    if (!upload) return;
    if ("members" in sent) {
      this.unpack(upload, sent.members);
    } else if (sent.unchanged) {
      this.change(id, { state: "unchanged", documentId: sent.documentId });
    } else {
      const { unchanged: _, ...known } = sent;
      this.change(id, { state: "waiting", progress: 0, ...known });
      const over = sent.operationId && this.over.get(sent.operationId);
      if (over) this.hear(over);
    }
  }

  /** Every file of an archive gets a line of its own below it. */
  private unpack(archive: Upload, members: Member[]): void {
    const lines = members.map((member): Upload => {
      const state = member.error ? refusalOf(member.error) : member.operationId ? "waiting" : "unchanged";
      const { workspaceId, kbId } = archive;
      return {
        ...this.make({ workspaceId, kbId, content: null, replace: archive.replace, name: "" }),
        ...member,
        state,
        archiveId: archive.id,
      };
    });
    const refused = members.filter(({ error }) => error).length;
    const clashing = lines.filter(({ state }) => state === "duplicate").length;
    this.change(archive.id, { state: "unpacked", taken: members.length - refused, refused, clashing });
    // An archive that is sent again is told of anew.
    const others = this.uploads.filter(({ archiveId }) => archiveId !== archive.id);
    const place = others.findIndex(({ id }) => id === archive.id) + 1;
    this.show(others.toSpliced(place, 0, ...lines));
    for (const { operationId } of lines) {
      const over = operationId && this.over.get(operationId);
      if (over) this.hear(over);
    }
  }

  private look(): void {
    for (const upload of this.uploads.filter(isUnderWay).slice(0, LOOK_AT)) {
      void this.lookAt(upload);
    }
  }

  private async lookAt(upload: Upload): Promise<void> {
    try {
      const { state, progress, error } = await this.carrier.look(upload);
      const now = this.find(upload.id);
      if (!now || !isUnderWay(now) || now.operationId !== upload.operationId) return;
      this.change(upload.id, state === "indexed" ? settled(now) : { state, progress, error });
    } catch (error) {
      // A document that is gone was deleted meanwhile; anything else is looked at again.
      if (error instanceof ApiError && error.status === 404) this.change(upload.id, { state: "failed", error });
    }
  }

  private find(id: number): Upload | undefined {
    return this.uploads.find((upload) => upload.id === id);
  }

  private change(id: number, change: Partial<Upload>): void {
    this.show(this.uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)));
  }

  private show(uploads: readonly Upload[]): void {
    this.uploads = uploads;
    for (const listener of this.listeners) listener();
  }
}

function refusalOf(error: unknown): "duplicate" | "failed" {
  return error instanceof ApiError && error.code === "DUPLICATE_FILE" ? "duplicate" : "failed";
}

function settled(upload: Upload): Partial<Upload> {
  return { state: upload.replacing ? "replaced" : "added", progress: 100, error: null };
}
