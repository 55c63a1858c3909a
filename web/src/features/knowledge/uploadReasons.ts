/** Why a file was not taken: what to say of each, and whether sending the same again can help. */
import { ApiError } from "../../api/client";
import type { Upload } from "./upload";

/** What is said of a file itself; the very same file will be told the very same. */
const OF_THE_FILE = new Set(["UNSUPPORTED_FILE_TYPE", "FILE_TOO_LARGE", "INVALID_REQUEST"]);
/** The server ends a refusal with all that it takes, which is as long as everything else together. */
const FORMATS = /\s*(Supported: .+)$/s;

/** What never arrived is worth another try; a document that could not be read has a page that says what to do. */
export function canRetry({ state, content, documentId, error }: Upload): boolean {
  if (state !== "failed" || !content || documentId) return false;
  return "url" in content || !(error instanceof ApiError && OF_THE_FILE.has(error.code));
}

export function withoutFormats(reason: string): string {
  return reason.replace(FORMATS, "");
}

/** The formats that are taken, if one of these was refused for its own. */
export function formatsIn(uploads: readonly Upload[]): string | null {
  for (const { state, error } of uploads) {
    const found = state === "failed" && error instanceof ApiError && FORMATS.exec(error.message);
    if (found) return found[1] ?? null;
  }
  return null;
}
