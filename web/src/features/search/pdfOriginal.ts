/** A PDF that is fetched in the parts that are looked at, and everything pdf.js needs beside it, from our own host. */
import { getDocument, GlobalWorkerOptions, type PDFDocumentLoadingTask, PDFDataRangeTransport } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import jbig2Url from "pdfjs-dist/wasm/jbig2.wasm?url";
import openjpegUrl from "pdfjs-dist/wasm/openjpeg.wasm?url";
import qcmsUrl from "pdfjs-dist/wasm/qcms_bg.wasm?url";
import { ApiError } from "../../api/client";
import { pathOf, signOriginal } from "./queries";

GlobalWorkerOptions.workerSrc = workerUrl;
/** Small, because finding a page means reading many small things all over the file; neighbours are fetched together. */
const PART_BYTES = 16 * 1024;

const urls: Record<string, string> = {
  ...import.meta.glob<string>(
    ["/node_modules/pdfjs-dist/cmaps/*.bcmap", "/node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}"],
    { eager: true, query: "?url", import: "default" },
  ),
  "jbig2.wasm": jbig2Url,
  "openjpeg.wasm": openjpegUrl,
  "qcms_bg.wasm": qcmsUrl,
};
const urlOf = new Map(Object.entries(urls).map(([path, url]) => [path.split("/").pop(), url]));

/** Character maps, fonts and decoders by the names the build gave them. */
class BuiltFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = urlOf.get(filename);
    const answer = url ? await fetch(url) : undefined;
    if (!answer?.ok) throw new Error(`There is no ${filename}.`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

/** Parts of the original by HTTP range; the link is signed anew when it has expired. */
class OriginalParts extends PDFDataRangeTransport {
  #tag: string | null = null;
  readonly #stopping = new AbortController();

  constructor(
    size: number,
    private link: string,
    private readonly documentId: string,
    private readonly onFail: (error: unknown) => void,
  ) {
    super(size, null);
  }

  override requestDataRange(begin: number, end: number): void {
    this.#fetch(begin, end).then(
      (part) => this.onDataRange(begin, part),
      (error: unknown) => {
        if (!this.#stopping.signal.aborted) this.onFail(error);
      },
    );
  }

  override abort(): void {
    this.#stopping.abort();
  }

  async #fetch(begin: number, end: number, again = true): Promise<Uint8Array> {
    const headers = new Headers({ Range: `bytes=${begin}-${end - 1}` });
    // Parts of two versions would make a broken whole.
    if (this.#tag) headers.set("If-Range", this.#tag);
    const answer = await fetch(this.link, { headers, signal: this.#stopping.signal });
    if (answer.status === 206) {
      this.#tag ??= answer.headers.get("ETag");
      return new Uint8Array(await answer.arrayBuffer());
    }
    if (answer.ok) throw new Replaced();
    if (!again) throw new ApiError("", "NO_ANSWER", answer.status);
    this.link = pathOf((await signOriginal(this.documentId)).url);
    return this.#fetch(begin, end, false);
  }
}

/** The document is another one by now. */
export class Replaced extends Error {}

export type OpenPdf = Pick<PDFDocumentLoadingTask, "promise" | "destroy">;

/** Open a document's original; `onFail` hears of parts that could not be had later on. */
export async function openOriginal(documentId: string, onFail: (error: unknown) => void): Promise<OpenPdf> {
  const link = await signOriginal(documentId);
  return getDocument({
    range: new OriginalParts(link.sizeBytes, pathOf(link.url), documentId, onFail),
    rangeChunkSize: PART_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    BinaryDataFactory: BuiltFiles,
    useWorkerFetch: false,
    enableXfa: false,
  });
}
