import { Skeleton } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { IconFileOff } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { ErrorState } from "../../components/ErrorState";
import { Loading } from "../../components/Loading";
import { useLanguage } from "../../messages/language";
import { ChunkBlock } from "./ChunkBlock";
import { CHUNKS_AT_ONCE, useChunkPages } from "./queries";

type Chunk = Schemas["ChunkOut"];
type Props = { document: Schemas["DocumentOut"]; chunk: Chunk | undefined };

const USUAL_HEIGHT = 160;

/** The text that was read from a document, with the passage marked; as much of it is fetched as is looked at. */
export function TextView({ document, chunk }: Props) {
  const first = Math.floor((chunk?.index ?? 0) / CHUNKS_AT_ONCE);
  const [opening] = useChunkPages(document.id, [first]);
  if (opening?.error) return <ErrorState error={opening.error} onRetry={() => opening.refetch()} />;
  if (!opening?.data) return <Loading rows={8} />;
  if (opening.data.total === 0) return <NotRead document={document} />;
  return <Reading key={chunk?.id} document={document} chunk={chunk} total={opening.data.total} />;
}

function NotRead({ document }: { document: Schemas["DocumentOut"] }) {
  const { t } = useLanguage();
  return (
    <EmptyState
      icon={IconFileOff}
      title={t("viewer.notRead")}
      hint={document.error ?? (document.status === "indexed" ? undefined : t("viewer.notReadHint"))}
    />
  );
}

function Reading({ document, chunk, total }: Props & { total: number }) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_HEIGHT,
    overscan: 4,
    // Room above and below, so that a cited passage does not stick to the edge.
    paddingStart: 8,
    paddingEnd: 8,
  });
  const items = virtualizer.getVirtualItems();
  const { chunks, error, retry } = useChunksAround(
    document.id,
    items[0]?.index ?? chunk?.index ?? 0,
    items.at(-1)?.index,
  );
  const here = chunk && chunks.has(chunk.index);
  useEffect(() => {
    if (chunk && here) virtualizer.scrollToIndex(chunk.index, { align: chunk.index ? "center" : "start" });
  }, [chunk, here, virtualizer]);
  return (
    <section
      ref={scroller}
      className="sheet reading"
      tabIndex={0}
      aria-label={t("viewer.textOf", { name: document.title || document.name })}
    >
      {error !== null && <ErrorState error={error} onRetry={retry} />}
      <div style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
        {items.map(({ index, start }) => {
          const shown = chunks.get(index);
          return (
            <div
              key={index}
              data-index={index}
              ref={virtualizer.measureElement}
              className="chunk-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              {shown ? (
                <ChunkBlock
                  chunk={shown}
                  before={chunks.get(index - 1)}
                  mediaType={document.mediaType}
                  cited={shown.id === chunk?.id}
                />
              ) : (
                <Skeleton height={USUAL_HEIGHT - 24} m="sm" />
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}

/** The passages in sight, by their place. */
function useChunksAround(documentId: string, first: number, last = first) {
  const from = Math.floor(Math.max(first - 1, 0) / CHUNKS_AT_ONCE);
  const to = Math.floor(last / CHUNKS_AT_ONCE);
  const pages = Array.from({ length: to - from + 1 }, (_, step) => from + step);
  const answers = useChunkPages(documentId, pages);
  const chunks = new Map<number, Chunk>();
  for (const answer of answers) for (const chunk of answer.data?.items ?? []) chunks.set(chunk.index, chunk);
  const failed = answers.find((answer) => answer.error);
  return { chunks, error: failed?.error ?? null, retry: () => failed?.refetch() };
}
