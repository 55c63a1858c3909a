import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/client";
import type { Upload } from "./upload";
import { canRetry, formatsIn, withoutFormats } from "./uploadReasons";

const FILE = { file: new File(["x"], "x.md") };
const failed = (code: string, status: number, change: Partial<Upload> = {}): Upload => ({
  ...{
    id: 1,
    workspaceId: null,
    kbId: "kb",
    name: "x.md",
    content: FILE,
    replace: false,
    state: "failed",
    progress: 0,
  },
  ...{ documentId: null, operationId: null, replacing: false, taken: 0, refused: 0, archiveId: null, clashing: 0 },
  error: new ApiError("'x.bin' is no document. Convert it. Supported: PDF (.pdf), source code (.py, …).", code, status),
  ...change,
});

describe("what can be done about a file that was not taken", () => {
  it("is tried again only where that can help", () => {
    expect(canRetry(failed("NO_ANSWER", 0))).toBe(true);
    expect(canRetry(failed("LIMIT_EXCEEDED", 409))).toBe(true);
    for (const code of ["UNSUPPORTED_FILE_TYPE", "FILE_TOO_LARGE", "INVALID_REQUEST"]) {
      expect(canRetry(failed(code, 415))).toBe(false);
    }
    // What is at an address may be another thing tomorrow.
    expect(canRetry(failed("UNSUPPORTED_FILE_TYPE", 415, { content: { url: "https://example.com" } }))).toBe(true);
    // Its page offers what helps; a file of an archive has nothing to be sent again.
    expect(canRetry(failed("DOCUMENT_FAILED", 200, { documentId: "doc_x" }))).toBe(false);
    expect(canRetry(failed("NO_ANSWER", 0, { content: null }))).toBe(false);
    expect(canRetry(failed("NO_ANSWER", 0, { state: "added" }))).toBe(false);
  });

  it("keeps the formats apart from the reason", () => {
    const one = failed("UNSUPPORTED_FILE_TYPE", 415);
    expect(withoutFormats((one.error as ApiError).message)).toBe("'x.bin' is no document. Convert it.");
    expect(formatsIn([failed("NO_ANSWER", 0, { error: null }), one])).toBe(
      "Supported: PDF (.pdf), source code (.py, …).",
    );
    expect(formatsIn([failed("NO_ANSWER", 0, { error: null })])).toBeNull();
  });
});
