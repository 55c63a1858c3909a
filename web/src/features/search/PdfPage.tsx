import { Skeleton, Text } from "@mantine/core";
import {
  type PageViewport,
  type PDFDocumentProxy,
  type PDFPageProxy,
  RenderingCancelledException,
  TextLayer,
} from "pdfjs-dist";
import { type CSSProperties, useEffect, useRef, useState } from "react";
import { useLanguage } from "../../messages/language";
import { findMarks } from "./pdfMarks";

type Props = {
  pdf: PDFDocumentProxy;
  number: number;
  /** In CSS pixels. */
  width: number;
  passage: string | null;
  onSize: (ratio: number) => void;
  onMarked: (found: boolean, top: number) => void;
};
type Rectangle = { left: number; top: number; width: number; height: number };

/** Beyond this browsers give up on a canvas. */
const MOST_PIXELS = 16_000_000;

/** One page: its picture, its text to select, and the passage marked on it. */
export function PdfPage({ pdf, number, width, passage, onSize, onMarked }: Props) {
  const { t } = useLanguage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const [page, setPage] = useState<PDFPageProxy>();
  const [broken, setBroken] = useState(false);
  const [drawn, setDrawn] = useState(false);
  const [marks, setMarks] = useState<Rectangle[]>([]);
  const told = useRef({ onSize, onMarked });
  told.current = { onSize, onMarked };

  useEffect(() => {
    let gone = false;
    pdf.getPage(number).then(
      (loaded) => {
        if (gone) return;
        const { width: w, height: h } = loaded.getViewport({ scale: 1 });
        told.current.onSize(h / w);
        setPage(loaded);
      },
      () => !gone && setBroken(true),
    );
    return () => {
      gone = true;
    };
  }, [pdf, number]);

  useEffect(() => {
    if (!page || !canvas.current || !words.current) return;
    const viewport = viewportOf(page, width);
    const drawing = draw(page, viewport, canvas.current);
    drawing.promise.then(
      () => setDrawn(true),
      (error: unknown) => !(error instanceof RenderingCancelledException) && setBroken(true),
    );
    const layer = words.current;
    let gone = false;
    page.getTextContent().then(
      async (content) => {
        if (gone) return;
        layer.replaceChildren();
        await new TextLayer({ textContentSource: content, container: layer, viewport }).render();
        if (gone || passage === null) return;
        const texts = content.items.filter((item) => "str" in item);
        const found = findMarks(texts, passage).map(({ item, from, to }) => place(texts[item], from, to, viewport));
        setMarks(found);
        told.current.onMarked(found.length > 0, Math.min(...found.map((rectangle) => rectangle.top)));
      },
      () => {},
    );
    return () => {
      gone = true;
      drawing.cancel();
    };
  }, [page, width, passage]);

  if (broken) return <Text p="md">{t("viewer.pageBroken", { number: String(number) })}</Text>;
  const scale = page ? width / page.getViewport({ scale: 1 }).width : 1;
  return (
    <div className="pdf-page" style={{ "--total-scale-factor": scale, "--scale-factor": scale } as CSSProperties}>
      {!drawn && <Skeleton className="pdf-waiting" radius={0} />}
      <canvas ref={canvas} aria-hidden="true" />
      {passage !== null &&
        marks.map((mark) => <div key={`${mark.left},${mark.top}`} className="pdf-mark" data-mark style={mark} />)}
      <div ref={words} className="textLayer" />
    </div>
  );
}

function viewportOf(page: PDFPageProxy, width: number): PageViewport {
  return page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
}

function draw(page: PDFPageProxy, viewport: PageViewport, canvas: HTMLCanvasElement) {
  const area = viewport.width * viewport.height;
  const density = Math.min(window.devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / area));
  canvas.width = Math.floor(viewport.width * density);
  canvas.height = Math.floor(viewport.height * density);
  return page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
}

type Item = { transform: number[]; width: number; height: number };

/** Where a stretch of a piece of text is on the page; text that runs straight is all that is measured. */
function place(item: Item | undefined, from: number, to: number, viewport: PageViewport): Rectangle {
  const [, , , , x = 0, y = 0] = item?.transform ?? [];
  const { width = 0, height = 0 } = item ?? {};
  const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(x + width * from, y - height * 0.2);
  const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(x + width * to, y + height * 0.95);
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
  return { left, top, width: right - left, height: bottom - top };
}
