import { Checkbox, Skeleton, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ErrorState } from "../../components/ErrorState";
import { Loading } from "../../components/Loading";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { DocumentRow } from "./DocumentRow";
import { type Document, type DocumentFilter, readAllDocuments, useDocuments } from "./documentQueries";

const ROW = 64;
const NARROW_ROW = 84;
/** Enough for the first sight, before the length of the list is known. */
const FIRST_SIGHT = 30;

type Selection = ReadonlyMap<string, Document>;
type Props = {
  kbId: string;
  filter: DocumentFilter;
  writes: boolean;
  selected: Selection;
  onSelect: (selected: Selection) => void;
  onTotal: (total: number) => void;
  /** What is said where nothing matches. */
  empty: ReactNode;
};

/** A list of any length: only rows in sight are in the page, only pages in sight are asked for. */
export function DocumentList({ kbId, filter, writes, selected, onSelect, onTotal, empty }: Props) {
  const { t } = useLanguage();
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [inSight, setInSight] = useState({ first: 0, last: FIRST_SIGHT });
  const narrow = useMediaQuery("(max-width: 48em)") ?? false;
  const documents = useDocuments(kbId, filter, inSight.first, inSight.last);
  const { total } = documents;
  const rowHeight = narrow ? NARROW_ROW : ROW;
  const rows = useWindowVirtualizer({
    count: total ?? 0,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: top,
    onChange: ({ range }) => range && setInSight({ first: range.startIndex, last: range.endIndex }),
  });
  // What stands above the list may grow and shrink.
  useLayoutEffect(() => {
    const now = list.current ? list.current.getBoundingClientRect().top + window.scrollY : 0;
    if (Math.abs(now - top) > 1) setTop(now);
  });
  // Heights are remembered, and another width has others.
  useEffect(() => rows.measure(), [rows, rowHeight]);
  useEffect(() => {
    if (total !== undefined) onTotal(total);
  }, [total, onTotal]);

  const selection = useRef(selected);
  selection.current = selected;
  const toggle = useCallback(
    (document: Document) => {
      const next = new Map(selection.current);
      if (!next.delete(document.id)) next.set(document.id, document);
      onSelect(next);
    },
    [onSelect],
  );

  // What is ticked goes on changing: one that fails after it was ticked can be tried again.
  const inView = rows.getVirtualItems().map(({ index }) => documents.at(index));
  useEffect(() => {
    const renewed = inView.filter((document) => document && (selected.get(document.id) ?? document) !== document);
    if (renewed.length > 0) onSelect(new Map([...selected, ...renewed.map((now) => [now!.id, now!] as const)]));
  });

  if (documents.error) return <ErrorState error={documents.error} onRetry={documents.retry} />;
  if (total === undefined) {
    return (
      <div className="sheet">
        <Loading rows={6} />
      </div>
    );
  }
  if (total === 0) return <div className="sheet">{empty}</div>;
  return (
    <div className="sheet document-list" role="table" aria-label={t("documents.list")} aria-rowcount={total + 1}>
      <ListHead {...{ kbId, filter, writes, selected, onSelect, total }} />
      <div ref={list} role="rowgroup" style={{ position: "relative", height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, size }) => {
          const document = documents.at(index);
          const place = { transform: `translateY(${start - top}px)`, height: size };
          return document ? (
            <DocumentRow
              key={index}
              {...{ document, index, place, writes, narrow }}
              selected={selected.has(document.id)}
              onToggle={toggle}
            />
          ) : (
            <div key={index} role="row" aria-rowindex={index + 2} className="document-row" style={place}>
              <div role="cell" />
              <div role="cell">
                <Skeleton height={18} width={`${40 + ((index * 17) % 40)}%`} />
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

type HeadProps = Pick<Props, "kbId" | "filter" | "writes" | "selected" | "onSelect"> & { total: number };

function ListHead({ kbId, filter, writes, selected, onSelect, total }: HeadProps) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const [busy, setBusy] = useState(false);
  const selectAll = async () => {
    if (selected.size >= total) {
      onSelect(new Map());
      return;
    }
    setBusy(true);
    try {
      const all = await readAllDocuments(kbId, filter);
      onSelect(new Map(all.map((document) => [document.id, document])));
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  const head = (name: string, numeric = false) => (
    <Text role="columnheader" size="sm" fw={600} ta={numeric ? "right" : undefined} className="document-detail">
      {name}
    </Text>
  );
  return (
    <div role="rowgroup" className="document-head">
      <div role="row" aria-rowindex={1} className="document-row">
        <div role="columnheader">
          {writes && (
            <Checkbox
              aria-label={t("documents.selectAll", { count: total })}
              disabled={busy}
              checked={selected.size >= total}
              indeterminate={selected.size > 0 && selected.size < total}
              onChange={selectAll}
            />
          )}
        </div>
        <Text role="columnheader" size="sm" fw={600}>
          {t("documents.name")}
        </Text>
        {head(t("documents.kind"))}
        {head(t("documents.size"), true)}
        {head(t("documents.passages"), true)}
        {head(t("documents.updated"))}
        {head(t("documents.status"))}
      </div>
    </div>
  );
}
