import { Anchor, Checkbox, Text } from "@mantine/core";
import { type CSSProperties, memo } from "react";
import { Link } from "react-router";
import { Bytes, Count } from "../../components/Numbers";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { DocumentStatusText } from "../../components/DocumentStatusText";
import type { Document } from "./documentQueries";
import { fileKindOf } from "./states";

type Props = {
  document: Document;
  index: number;
  place: CSSProperties;
  writes: boolean;
  narrow: boolean;
  selected: boolean;
  onToggle: (document: Document) => void;
};

/** One document of the list; on a small screen its figures stand below its name. */
export const DocumentRow = memo(
  function DocumentRow({ document, index, place, writes, narrow, selected, onToggle }: Props) {
    const { t } = useLanguage();
    const { name, title, status, error } = document;
    const kind = document.kind === "file" ? fileKindOf(document) : t(`documents.kind.${document.kind}`);
    const second = status === "failed" && error ? error : title && title !== name ? name : null;
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        className="document-row"
        data-selected={selected || undefined}
        style={place}
      >
        <div role="cell">
          {writes && (
            <Checkbox
              aria-label={t("documents.select", { name })}
              checked={selected}
              onChange={() => onToggle(document)}
            />
          )}
        </div>
        <div role="cell" style={{ minWidth: 0 }}>
          <Anchor component={Link} to={`/documents/${document.id}`} fw={500} display="block" truncate title={name}>
            {title || name}
          </Anchor>
          {second && (
            <Text size="sm" c={status === "failed" ? "var(--mantine-color-error)" : "dimmed"} truncate title={second}>
              {second}
            </Text>
          )}
          {narrow && (
            <Text size="sm" c="dimmed" component="div" truncate>
              <DocumentStatusText document={document} /> · {kind} · <Bytes value={document.sizeBytes} />
            </Text>
          )}
        </div>
        <Text role="cell" size="sm" className="document-detail" truncate>
          {kind}
        </Text>
        <Text role="cell" size="sm" ta="right" className="document-detail">
          <Bytes value={document.sizeBytes} />
        </Text>
        <Text role="cell" size="sm" ta="right" className="document-detail">
          <Count value={document.chunkCount} />
        </Text>
        <Text role="cell" size="sm" className="document-detail">
          <TimeAgo time={document.updatedAt} />
        </Text>
        <Text role="cell" size="sm" className="document-detail" component="div">
          <DocumentStatusText document={document} />
        </Text>
      </div>
    );
  },
  // Where it stands is told by number and height; the style object itself is new with every scroll.
  (before, after) =>
    before.document === after.document &&
    before.index === after.index &&
    before.selected === after.selected &&
    before.narrow === after.narrow &&
    before.writes === after.writes &&
    before.place.transform === after.place.transform &&
    before.place.height === after.place.height &&
    before.onToggle === after.onToggle,
);
