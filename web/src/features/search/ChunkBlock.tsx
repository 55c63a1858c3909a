import { Title } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { useLanguage } from "../../messages/language";
import { Markdown } from "../../components/Markdown";
import { isLined, placeWords } from "./places";

type Chunk = Schemas["ChunkOut"];
type Props = { chunk: Chunk; before: Chunk | undefined; mediaType: string; cited: boolean };

/** One passage as its format has it: lines with their numbers, or headings, lists and tables; a new place is named. */
export function ChunkBlock({ chunk, before, mediaType, cited }: Props) {
  const { t } = useLanguage();
  const lined = isLined(mediaType) && !chunk.place;
  const place = titleOf(chunk);
  const opens = place !== null && (!before || titleOf(before) !== place);
  return (
    <div className={opens ? "chunk opens" : "chunk"}>
      {opens && (
        <Title order={2} className="chunk-place">
          {[chunk.attachment, chunk.place && placeWords(t, placeAlone(chunk.place, chunk.content))]
            .filter(Boolean)
            .join(" · ")}
        </Title>
      )}
      {/* What is cited is said, too: colour alone tells nothing to whoever cannot see it. */}
      <div className={cited ? "chunk-text cited" : "chunk-text"} {...(cited && citedLabel(t("viewer.cited")))}>
        {lined ? <Lines chunk={chunk} /> : <Markdown text={textOf(chunk)} firstRow={chunk.place?.firstRow} />}
      </div>
    </div>
  );
}

function citedLabel(label: string) {
  return { role: "mark", "aria-label": label };
}

/** Pages, slides, sheets, chapters and attachments are told apart; rows of one sheet are not. */
function titleOf({ place, attachment }: Chunk): string | null {
  return place || attachment ? `${attachment ?? ""}/${place?.kind ?? ""}/${place?.number ?? ""}` : null;
}

/** The place of all its passages: without rows, and without a name that is the first thing to read there. */
function placeAlone(place: Schemas["PlaceOut"], content: string): Schemas["PlaceOut"] {
  const heading = content.match(/^#{1,6}\s+(.*)/)?.[1]?.trim();
  return { ...place, firstRow: null, lastRow: null, name: heading === place.name ? null : place.name };
}

/** Rows under the header of their table. */
function textOf(chunk: Chunk): string {
  return chunk.repeatedHeader + chunk.content;
}

function Lines({ chunk }: { chunk: Chunk }) {
  return (
    <div className="lines">
      {chunk.content.split(/\r\n|\r|\n/).map((line, place) => (
        <div key={`${place}`} className="line">
          <span className="line-number" aria-hidden="true">
            {chunk.startLine + place}
          </span>
          <code>{line || " "}</code>
        </div>
      ))}
    </div>
  );
}
