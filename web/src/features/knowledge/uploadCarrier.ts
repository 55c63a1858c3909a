/** How files reach the server. XMLHttpRequest, because fetch cannot tell how much of an upload has gone out. */
import { ApiError, api, data, failureOf, type Schemas } from "../../api/client";
import type { Upload } from "./upload";
import type { Carrier, Sent } from "./uploadQueue";

const headersOf = (upload: Upload) => (upload.workspaceId ? { "X-Pinakes-Workspace": upload.workspaceId } : undefined);

export const carrier: Carrier = {
  async send(upload, onProgress, signal) {
    const { content } = upload;
    if (!content) throw new ApiError("", "NO_ANSWER", 0);
    if ("url" in content) return sentOf(await sendAddress(upload, content.url, signal));
    if (isArchive(upload.name)) return sendArchive(upload, content.file, onProgress, signal);
    try {
      return sentOf(await post<Schemas["UploadOut"]>(upload, "documents", content.file, onProgress, signal));
    } catch (error) {
      const there = await findSame(upload, content.file, error);
      if (!there) throw error;
      return { documentId: there, operationId: null, replacing: false, unchanged: true };
    }
  },

  async look(upload) {
    const { status, progress, error } = await readDocument(upload, upload.documentId ?? "");
    const state = status === "pending" ? "waiting" : status;
    return { state, progress, error: error && state === "failed" ? new ApiError(error, "DOCUMENT_FAILED", 200) : null };
  },
};

export function isArchive(name: string): boolean {
  return /\.zip$/i.test(name);
}

function sentOf({ document, operationId, unchanged }: Schemas["UploadOut"]): Sent {
  return { documentId: document.id, operationId, replacing: document.version > 1, unchanged };
}

async function sendArchive(
  upload: Upload,
  file: File,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<Sent> {
  const { items } = await post<Schemas["ArchiveOut"]>(upload, "archives", file, onProgress, signal);
  const members = items.map((item) => ({
    name: item.name,
    documentId: item.document?.id ?? null,
    operationId: item.operationId,
    error: item.status === "refused" ? new ApiError(item.reason ?? "", item.errorCode ?? "", 409) : null,
  }));
  return { members };
}

function sendAddress(upload: Upload, url: string, signal: AbortSignal): Promise<Schemas["UploadOut"]> {
  return data(
    api.POST("/api/knowledge-bases/{knowledgeBaseId}/urls", {
      params: { path: { knowledgeBaseId: upload.kbId } },
      headers: headersOf(upload),
      body: { url, replace: upload.replace },
      signal,
    }),
  );
}

function readDocument(upload: Upload, documentId: string): Promise<Schemas["DocumentOut"]> {
  const params = { path: { documentId } };
  return data(api.GET("/api/documents/{documentId}", { params, headers: headersOf(upload) }));
}

/** The document that holds the very same bytes under this name; digests are only at hand on safe connections. */
async function findSame(upload: Upload, file: File, error: unknown): Promise<string | null> {
  const id = error instanceof ApiError && error.code === "DUPLICATE_FILE" && error.details?.documentId;
  if (typeof id !== "string" || !globalThis.crypto?.subtle) return null;
  const there = await readDocument(upload, id).catch(() => null);
  if (there?.sizeBytes !== file.size) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex === there.sha256 ? id : null;
}

function post<Data>(
  upload: Upload,
  way: "documents" | "archives",
  file: File,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<Data> {
  const form = new FormData();
  form.append("replace", String(upload.replace));
  form.append("file", file, upload.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/knowledge-bases/${encodeURIComponent(upload.kbId)}/${way}`);
    if (upload.workspaceId) request.setRequestHeader("X-Pinakes-Workspace", upload.workspaceId);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? Math.floor((100 * loaded) / total) : 100);
    request.onload = () => {
      const body: unknown = request.response;
      if (request.status >= 200 && request.status < 300) resolve((body as { data: Data }).data);
      else reject(failureOf(body, request.status));
    };
    request.onerror = () => reject(new ApiError("", "NO_ANSWER", 0));
    request.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}
