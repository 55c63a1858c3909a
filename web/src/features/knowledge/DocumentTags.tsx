import { Button, CloseButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import type { Schemas } from "../../api/client";
import { ErrorState } from "../../components/ErrorState";
import { BARE, readTag, writeTag } from "../../components/tags";
import { useLanguage } from "../../messages/language";
import { type Document, useUpdateDocument } from "./documentQueries";

type Tag = Schemas["Tag"];
/** A name and a value of at most a hundred characters each, and the sign between them. */
const LONGEST = 201;

/** A document's tags, changed in place. */
export function DocumentTags({ document, writes }: { document: Document; writes: boolean }) {
  const { t } = useLanguage();
  const [adding, setAdding] = useState(false);
  const update = useUpdateDocument(document.id);
  const { tags } = document;
  const add = (tag: Tag) => update.mutateAsync({ tags: [...tags, tag] });
  const remove = (gone: Tag) => update.mutate({ tags: tags.filter((tag) => tag !== gone) });
  const values = new Set(tags.map(({ tagValue }) => tagValue.toLowerCase()));
  const suggested = document.suggestedTags.filter((value) => !values.has(value.toLowerCase()));
  return (
    <Stack gap="sm">
      {tags.length === 0 && !adding && <Text c="dimmed">{t("documents.tags.none")}</Text>}
      {tags.length > 0 && (
        <Group gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }}>
          {tags.map((tag) => (
            <li key={`${tag.tagName}=${tag.tagValue}`} className="tag">
              {writeTag(tag)}
              {writes && (
                <CloseButton
                  size="sm"
                  disabled={update.isPending}
                  aria-label={t("documents.tags.remove", { tag: writeTag(tag) })}
                  onClick={() => remove(tag)}
                />
              )}
            </li>
          ))}
        </Group>
      )}
      {writes && suggested.length > 0 && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {t("documents.tags.suggested")}
          </Text>
          {suggested.map((value) => (
            <Button
              key={value}
              size="compact-sm"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              aria-label={t("documents.tags.addSuggested", { value })}
              disabled={update.isPending}
              onClick={() => add({ tagName: BARE, tagValue: value }).catch(() => undefined)}
            >
              {value}
            </Button>
          ))}
        </Group>
      )}
      {update.error && <ErrorState error={update.error} />}
      {adding && <TagForm onAdd={add} onClose={() => setAdding(false)} />}
      {writes && !adding && (
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            {t("documents.tags.add")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function TagForm({ onAdd, onClose }: { onAdd: (tag: Tag) => Promise<unknown>; onClose: () => void }) {
  const { t } = useLanguage();
  const [text, setText] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // What is wrong with it is said beside the form, which then stays.
    await onAdd(readTag(text)).then(onClose, () => undefined);
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          size="sm"
          w={300}
          maw="100%"
          label={t("documents.tags.name")}
          description={t("documents.tags.hint")}
          placeholder={t("documents.tags.example")}
          maxLength={LONGEST}
          required
          withAsterisk={false}
          autoFocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button size="sm" type="submit">
          {t("action.save")}
        </Button>
        <Button size="sm" variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
      </Group>
    </form>
  );
}
