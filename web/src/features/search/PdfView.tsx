import { useMergedRef, useResizeObserver } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../../api/client";
import { Loading } from "../../components/Loading";
import { useLanguage } from "../../messages/language";
import { PdfPage } from "./PdfPage";
import { PdfToolbar } from "./PdfToolbar";
import { PdfTrouble } from "./PdfTrouble";
import { type OpenPdf, openOriginal } from "./pdfOriginal";

type Props = { document: Schemas["DocumentOut"]; chunk: Schemas["ChunkOut"] | undefined };

const GAP = 12;
/** A page of A4 at 100 %, in CSS pixels. */
const PAPER_WIDTH = 595 * (96 / 72);
/** Of a page that has not been seen yet: A4 upright, which most are. */
const USUAL_RATIO = Math.SQRT2;
/** What stays visible above a passage. */
const ABOVE_PASSAGE = 96;

/** The original PDF, opened at the page of the passage. Only the pages in sight are fetched and drawn. */
export function PdfView({ document, chunk }: Props) {
  const { pdf, error, reopen } = usePdf(document.id);
  if (error) return <PdfTrouble error={error} onRetry={reopen} />;
  if (!pdf) return <Loading rows={8} />;
  return <Pages key={chunk?.id} pdf={pdf} name={document.name} chunk={chunk} />;
}

function usePdf(documentId: string) {
  const [attempt, setAttempt] = useState(0);
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let gone = false;
    let opened: OpenPdf | undefined;
    const fail = (reason: unknown) => !gone && setError(reason);
    setError(undefined);
    setPdf(undefined);
    openOriginal(documentId, fail)
      .then((task) => {
        opened = task;
        if (gone) return task.destroy();
        return task.promise.then((loaded) => {
          if (!gone) setPdf(loaded);
        });
      })
      .catch(fail);
    return () => {
      gone = true;
      opened?.destroy();
    };
  }, [documentId, attempt]);
  return { pdf, error, reopen: () => setAttempt((count) => count + 1) };
}

function Pages({ pdf, name, chunk }: { pdf: PDFDocumentProxy; name: string; chunk: Schemas["ChunkOut"] | undefined }) {
  const { t } = useLanguage();
  // Inside of the scroll bar, which the element's own width would include.
  const [measured, { left, right }] = useResizeObserver();
  const room = right - left;
  const scroller = useRef<HTMLElement>(null);
  const reading = useMergedRef(measured, scroller);
  const ratios = useRef(new Map<number, number>());
  const usual = useRef(USUAL_RATIO);
  const [zoom, setZoom] = useState<number | null>(null);
  const [unmarked, setUnmarked] = useState(false);
  // Until the view is where it should be, nothing is drawn: the first pages would be fetched for nobody.
  const [placed, setPlaced] = useState(false);
  const cited = Math.min(Math.max(chunk?.page ?? 1, 1), pdf.numPages);
  // Null fits the width.
  const width = Math.max(zoom === null ? room - 2 * GAP : PAPER_WIDTH * zoom, 120);
  const virtualizer = useVirtualizer({
    count: pdf.numPages,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (ratios.current.get(index) ?? usual.current) * width + GAP,
    paddingStart: GAP,
    overscan: 1,
    initialOffset: 0,
  });
  const current = usePageInSight(virtualizer.scrollOffset ?? 0, virtualizer);
  const arrived = useRef(false);
  const ready = room > 0;

  const stay = useRef(cited);
  if (arrived.current) stay.current = current;
  useEffect(() => {
    if (!ready || !width) return;
    const target = stay.current;
    virtualizer.measure();
    virtualizer.scrollToIndex(target - 1, { align: "start" });
    setPlaced(true);
  }, [ready, width, virtualizer]);

  const resize = (index: number, ratio: number) => {
    if (ratios.current.get(index) === ratio) return;
    // Pages of a document are mostly alike: the first one seen speaks for those not seen yet.
    if (ratios.current.size === 0) usual.current = ratio;
    ratios.current.set(index, ratio);
    virtualizer.measure();
    if (index === cited - 1 && !arrived.current) virtualizer.scrollToIndex(index, { align: "start" });
  };
  const showPassage = (found: boolean, top: number) => {
    setUnmarked(!found);
    if (arrived.current) return;
    arrived.current = true;
    const start = virtualizer.getOffsetForIndex(cited - 1, "start")?.[0];
    if (found && start !== undefined) virtualizer.scrollToOffset(start + Math.max(top - ABOVE_PASSAGE, 0));
  };
  const goTo = (page: number) => {
    arrived.current = true;
    virtualizer.scrollToIndex(Math.min(Math.max(page, 1), pdf.numPages) - 1, { align: "start" });
  };
  return (
    <div className="sheet">
      <PdfToolbar
        page={current}
        total={pdf.numPages}
        onPage={goTo}
        zoom={zoom}
        shown={width / PAPER_WIDTH}
        onZoom={setZoom}
      />
      {unmarked && (
        <p className="viewer-remark" role="status">
          {t("viewer.notMarked")}
        </p>
      )}
      <section ref={reading} className="reading pdf-reading" tabIndex={0} aria-label={t("viewer.pagesOf", { name })}>
        <div style={{ height: virtualizer.getTotalSize(), minWidth: width + 2 * GAP, position: "relative" }}>
          {placed &&
            virtualizer.getVirtualItems().map(({ index, start, size }) => (
              <div
                key={index}
                className="pdf-place"
                role="group"
                aria-label={t("viewer.pageNumber", { number: String(index + 1) })}
                style={{ top: start, width, height: size - GAP }}
              >
                <PdfPage
                  pdf={pdf}
                  number={index + 1}
                  width={width}
                  passage={chunk && index === cited - 1 ? chunk.content : null}
                  onSize={(ratio) => resize(index, ratio)}
                  onMarked={showPassage}
                />
              </div>
            ))}
        </div>
      </section>
    </div>
  );
}

type Measured = { getVirtualItemForOffset: (offset: number) => { index: number } | undefined };

/** The page that the upper part of the view shows. */
function usePageInSight(offset: number, virtualizer: Measured): number {
  return (virtualizer.getVirtualItemForOffset(offset + ABOVE_PASSAGE)?.index ?? 0) + 1;
}
