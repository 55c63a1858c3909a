import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { ErrorState } from "../../components/ErrorState";
import { Loading } from "../../components/Loading";
import { useLanguage } from "../../messages/language";
import { type Chunk, type Document, useChunks } from "./documentQueries";

const USUAL_HEIGHT = 128;
const FIRST_SIGHT = 10;

/** Every passage a search can find, in the order of the document; each leads to its place in the original. */
export function DocumentPassages({ document }: { document: Document }) {
  const { t } = useLanguage();
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [inSight, setInSight] = useState({ first: 0, last: FIRST_SIGHT });
  const chunks = useChunks(document.id, document.version, inSight.first, inSight.last);
  const rows = useWindowVirtualizer({
    count: chunks.total ?? 0,
    estimateSize: () => USUAL_HEIGHT,
    overscan: 6,
    scrollMargin: top,
    onChange: ({ range }) => range && setInSight({ first: range.startIndex, last: range.endIndex }),
  });
  useLayoutEffect(() => {
    const now = list.current ? list.current.getBoundingClientRect().top + window.scrollY : 0;
    if (Math.abs(now - top) > 1) setTop(now);
  });
  return (
    <Stack component="section" gap="sm" aria-label={t("documents.chunks")}>
      <Title order={2}>{t("documents.chunks")}</Title>
      {chunks.error && <ErrorState error={chunks.error} onRetry={chunks.retry} />}
      {chunks.total === undefined && !chunks.error && <Loading rows={3} />}
      {chunks.total === 0 && <Text c="dimmed">{t("documents.chunksNone")}</Text>}
      <div ref={list} role="list" style={{ position: "relative", height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const chunk = chunks.at(index);
          return (
            <div
              key={index}
              ref={rows.measureElement}
              data-index={index}
              role="listitem"
              aria-setsize={chunks.total}
              aria-posinset={index + 1}
              className="passage-row"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <div className="sheet" style={{ padding: "var(--mantine-spacing-sm) var(--mantine-spacing-md)" }}>
                {chunk ? <Passage chunk={chunk} documentId={document.id} /> : <Skeleton height={96} />}
              </div>
            </div>
          );
        })}
      </div>
    </Stack>
  );
}

function Passage({ chunk, documentId }: { chunk: Chunk; documentId: string }) {
  const { t } = useLanguage();
  const place = usePlace(chunk);
  return (
    <>
      <Text size="sm" mb={4} style={{ overflowWrap: "anywhere" }}>
        <Anchor
          component={Link}
          to={`/documents/${documentId}/view?chunk=${encodeURIComponent(chunk.id)}`}
          inherit
          fw={500}
          aria-label={`${t("documents.chunk.open", { number: chunk.index + 1 })}: ${place}`}
        >
          {place}
        </Anchor>
        {chunk.section && (
          <Text component="span" inherit c="dimmed">
            {" · "}
            {chunk.section}
          </Text>
        )}
      </Text>
      <Text size="sm" lineClamp={4} style={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>
        {chunk.content}
      </Text>
    </>
  );
}

/** Where a passage stands, in words: "page 3", "sheet 2: Budget, rows 3–9", "lines 1–4". */
function usePlace({ place, attachment, startLine, endLine }: Chunk): string {
  const { t } = useLanguage();
  if (!place) return t("documents.place.lines", { first: startLine, last: endLine });
  const kind = t(`documents.place.${place.kind}`, { number: place.number });
  const rows =
    place.firstRow !== null &&
    t("documents.place.rows", { first: place.firstRow, last: place.lastRow ?? place.firstRow });
  return [attachment, place.name ? `${kind}: ${place.name}` : kind, rows].filter(Boolean).join(", ");
}
