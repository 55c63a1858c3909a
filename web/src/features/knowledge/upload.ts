/** One file, archive or address on its way into a knowledge base. */
export type UploadState =
  | "queued"
  | "sending"
  | "waiting"
  | "indexing"
  | "added"
  | "replaced"
  | "unchanged"
  | "unpacked"
  | "duplicate"
  | "failed"
  | "cancelled";

export type Upload = {
  id: number;
  workspaceId: string | null;
  kbId: string;
  name: string;
  /** What to send; what came out of an archive has nothing of its own to send. */
  content: { file: File } | { url: string } | null;
  replace: boolean;
  state: UploadState;
  /** Of sending or of indexing, in per cent. */
  progress: number;
  documentId: string | null;
  operationId: string | null;
  replacing: boolean;
  error: unknown;
  taken: number;
  refused: number;
  /** The archive that it came in. */
  archiveId: number | null;
  /** How many of the refused files would replace a document. */
  clashing: number;
};

/** The server has it and is not done with it. */
export const isUnderWay = ({ state }: Upload) => state === "waiting" || state === "indexing";
export const isUnsent = ({ state }: Upload) => state === "queued" || state === "sending";
export const isBusy = (upload: Upload) => isUnsent(upload) || isUnderWay(upload);
export const isProblem = ({ state }: Upload) => state === "failed" || state === "duplicate";

/** How much of an upload is done, sending and indexing being half of it each. */
export function shareDone({ state, progress }: Upload): number {
  if (state === "queued") return 0;
  if (state === "sending") return progress / 200;
  if (state === "waiting") return 0.5;
  return state === "indexing" ? 0.5 + progress / 200 : 1;
}
