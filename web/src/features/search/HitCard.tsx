import { Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useId, useMemo } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { writeTag } from "../../components/tags";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { Explanation } from "./Explanation";
import { isLined, whereabouts } from "./places";
import { plainPassage } from "./plainText";
import { Score } from "./Score";
import { markWords, type Piece } from "./words";

type Hit = Schemas["HitOut"];
type Props = { hit: Hit; hits: Hit[]; words: Set<string>; linkTo: (hit: Hit) => string };

/** A passage that was found: what it is, where it stands, what it says and how sure we are. */
export function HitCard({ hit, hits, words, linkTo }: Props) {
  const { t } = useLanguage();
  const [explained, explanation] = useDisclosure();
  const explanationId = useId();
  const { mediaType } = hit.metadata;
  const place = whereabouts(t, hit, mediaType, hit.documentTitle).join(" · ");
  const name = hit.documentTitle || hit.documentName;
  return (
    <Stack component="article" className="sheet hit" p="md" gap={8} aria-label={hit.citation}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div className="long-name">
          <Anchor component={Link} to={linkTo(hit)} fw={600}>
            {name}
          </Anchor>
          {place && (
            <Text size="sm" c="dimmed">
              {place}
            </Text>
          )}
        </div>
        <Score similarity={hit.similarity} />
      </Group>
      <Text className="passage">
        <Marked text={isLined(mediaType) ? hit.content : plainPassage(hit.content, hit.section)} words={words} />
      </Text>
      <Group justify="space-between" align="flex-end" gap="xs" wrap="nowrap">
        <Group gap="xs" miw={0}>
          <Text size="sm" c="dimmed" className="long-name">
            {[hit.knowledgeBaseName, name === hit.documentName ? "" : hit.documentName].filter(Boolean).join(" · ")}
            {" · "}
            <TimeAgo time={hit.metadata.updatedAt} />
          </Text>
          {hit.metadata.tags.map((tag) => (
            <Badge key={`${tag.tagName}=${tag.tagValue}`} variant="default" tt="none" fw={500}>
              {writeTag(tag)}
            </Badge>
          ))}
        </Group>
        <Button
          variant="subtle"
          size="compact-sm"
          flex="none"
          aria-expanded={explained}
          aria-controls={explanationId}
          onClick={explanation.toggle}
        >
          {explained ? t("search.whyHide") : t("search.why")}
        </Button>
      </Group>
      <div id={explanationId} hidden={!explained}>
        {explained && <Explanation hit={hit} hits={hits} linkTo={linkTo} />}
      </div>
    </Stack>
  );
}

function Marked({ text, words }: { text: string; words: Set<string> }) {
  const pieces = useMemo(() => keyed(markWords(text, words)), [text, words]);
  return pieces.map(({ key, text, marked }) =>
    marked ? <mark key={key}>{text}</mark> : <span key={key}>{text}</span>,
  );
}

/** A piece is known by where it begins. */
function keyed(pieces: Piece[]) {
  let at = 0;
  return pieces.map((piece) => {
    const key = at;
    at += piece.text.length;
    return { ...piece, key };
  });
}
