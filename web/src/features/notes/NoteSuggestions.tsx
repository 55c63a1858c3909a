import { Button, Group, Stack, Text } from "@mantine/core";
import { useLocation } from "react-router";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { tagText } from "./drafts";
import { OfferedTags } from "./NoteFields";
import { type NoteDetail, useArrangeNote, useResources } from "./queries";
import type { Saved } from "./useDraft";

/** What a note's text suggests: tags, and right after it was written a resource that fits better. */
export function NoteSuggestions({ note }: { note: NoteDetail }) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const { state } = useLocation() as { state: { suggested?: Saved } | null };
  const resources = useResources().data ?? [];
  const arrange = useArrangeNote(note.id);
  const tags = note.tags.map(tagText);
  const have = new Set(tags.map((tag) => tag.toLowerCase()));
  const all = [...new Set([...(state?.suggested?.suggestedTags ?? []), ...note.suggestedTags])];
  const offered = all.filter((tag) => !have.has(tag.toLowerCase()));
  const better = state?.suggested?.suggestedResource ?? null;
  const change = (body: { tags?: string[]; resource?: string }) => arrange.mutate(body, { onError: sayError });
  if (offered.length === 0 && (better === null || better === note.resource)) return null;
  return (
    <Stack gap="xs">
      {better !== null && better !== note.resource && (
        <Group gap="sm">
          <Text size="sm">
            {t("notes.betterResource", { name: resources.find(({ slug }) => slug === better)?.name ?? better })}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            loading={arrange.isPending}
            onClick={() => change({ resource: better })}
          >
            {t("notes.move")}
          </Button>
        </Group>
      )}
      <OfferedTags tags={offered} busy={arrange.isPending} onAdd={(tag) => change({ tags: [...tags, tag] })} />
    </Stack>
  );
}
