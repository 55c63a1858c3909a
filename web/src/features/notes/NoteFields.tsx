import { Button, Group, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import type { Dispatch, SetStateAction } from "react";
import { useLanguage } from "../../messages/language";
import type { Draft } from "./drafts";
import { NewResourceDialog } from "./NewResourceDialog";
import { useResources } from "./queries";

const LONGEST_TITLE = 200;
const MOST_TAGS = 20;

type Props = { draft: Draft; onChange: Dispatch<SetStateAction<Draft>>; suggested: string[] };

/** What stands above a note's text: title, where it belongs, and tags. */
export function NoteFields({ draft, onChange, suggested }: Props) {
  const { t } = useLanguage();
  const change = (part: Partial<Draft>) => onChange((now) => ({ ...now, ...part }));
  const have = new Set(draft.tags.map((tag) => tag.toLowerCase()));
  const offered = suggested.filter((tag) => !have.has(tag.toLowerCase()));
  return (
    <Stack gap="sm">
      <TextInput
        label={t("notes.noteTitle")}
        placeholder={t("notes.titleHint")}
        maxLength={LONGEST_TITLE}
        value={draft.title}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <div className="note-columns note-fields">
        <ResourceField value={draft.resource} onChange={(resource) => change({ resource })} />
        <Stack gap="xs">
          <TagsInput
            label={t("notes.tags")}
            placeholder={draft.tags.length === 0 ? t("notes.tagsHint") : undefined}
            maxTags={MOST_TAGS}
            maxLength={200}
            clearable={false}
            acceptValueOnBlur
            data={offered}
            value={draft.tags}
            onChange={(tags) => change({ tags })}
          />
          <OfferedTags tags={offered} onAdd={(tag) => change({ tags: [...draft.tags, tag] })} />
        </Stack>
      </div>
    </Stack>
  );
}

type OfferedProps = { tags: string[]; onAdd: (tag: string) => void; busy?: boolean };

/** Tags that the text suggests; one press adds one. */
export function OfferedTags({ tags, onAdd, busy }: OfferedProps) {
  const { t } = useLanguage();
  if (tags.length === 0) return null;
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {t("documents.tags.suggested")}
      </Text>
      {tags.map((value) => (
        <Button
          key={value}
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-label={t("documents.tags.addSuggested", { value })}
          disabled={busy}
          onClick={() => onAdd(value)}
        >
          {value}
        </Button>
      ))}
    </Group>
  );
}

function ResourceField({ value, onChange }: { value: string | null; onChange: (slug: string) => void }) {
  const { t } = useLanguage();
  const resources = useResources().data ?? [];
  const [making, dialog] = useDisclosure();
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <Select
        flex={1}
        miw={0}
        label={t("notes.resource")}
        placeholder={t("notes.resourceHint")}
        allowDeselect={false}
        searchable={resources.length > 8}
        nothingFoundMessage={t("notes.noSuchResource")}
        value={value}
        onChange={(slug) => slug && onChange(slug)}
        data={resources.map(({ slug, name }) => ({ value: slug, label: name }))}
      />
      <Button variant="default" onClick={dialog.open} leftSection={<IconPlus size={16} aria-hidden />} px="sm">
        {t("notes.newResource")}
      </Button>
      {making && <NewResourceDialog onClose={dialog.close} onMade={onChange} />}
    </Group>
  );
}
