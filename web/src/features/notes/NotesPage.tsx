import { Autocomplete, Button, Group, Pagination, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilterOff, IconNotes, IconPlus, IconSearch, IconTag, IconTemplate } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { useMe } from "../../api/me";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { tagText } from "./drafts";
import { NoteTable } from "./NoteTable";
import { NEW_NOTE, TEMPLATES } from "./places";
import { type NoteFilter, PAGE_SIZE, useNotes, useResources } from "./queries";

const TYPED_AFTER = 250;

/** All notes of the workspace. The filter is in the address, so that it can be linked to. */
export function NotesPage() {
  const { t } = useLanguage();
  const writes = useMe().data?.scopes.includes("write") ?? false;
  const [parameters, setParameters] = useSearchParams();
  const filter: NoteFilter = {
    text: parameters.get("q") ?? "",
    resource: parameters.get("resource"),
    tag: parameters.get("tag") ?? "",
  };
  const page = Math.max(1, Number(parameters.get("page")) || 1);
  const notes = useNotes(filter, page);
  const show = ({ text, resource, tag }: NoteFilter, wanted = 1) => {
    const next: Record<string, string> = {};
    if (text.trim()) next.q = text.trim();
    if (resource) next.resource = resource;
    if (tag.trim()) next.tag = tag.trim();
    if (wanted > 1) next.page = String(wanted);
    setParameters(next, { replace: true });
  };
  const filtered = filter.text !== "" || filter.resource !== null || filter.tag !== "";
  const known = [...new Set(notes.data?.items.flatMap(({ tags }) => tags.map(tagText)))].toSorted();
  return (
    <>
      <PageHeader
        title={t("notes.title")}
        description={t("notes.intro")}
        actions={<Acts writes={writes && (filtered || notes.data?.total !== 0)} />}
      />
      {(filtered || notes.data?.total !== 0) && (
        <FilterBar filter={filter} onChange={show} tags={known} total={notes.data?.total} />
      )}
      <QueryState query={notes} rows={6}>
        {({ items, total }) =>
          items.length === 0 ? (
            <NoNotes {...{ filtered, writes }} onShowAll={() => setParameters({}, { replace: true })} />
          ) : (
            <Stack gap="md">
              <NoteTable notes={items} onTag={(tag) => show({ ...filter, tag })} />
              <Pages pages={Math.ceil(total / PAGE_SIZE)} page={page} onPage={(wanted) => show(filter, wanted)} />
            </Stack>
          )
        }
      </QueryState>
    </>
  );
}

function Acts({ writes }: { writes: boolean }) {
  const { t } = useLanguage();
  return (
    <>
      <Button
        component={Link}
        to={TEMPLATES}
        variant="default"
        leftSection={<IconTemplate size={18} stroke={1.5} aria-hidden />}
      >
        {t("notes.templates")}
      </Button>
      {writes && <NewNote />}
    </>
  );
}

function NewNote() {
  const { t } = useLanguage();
  return (
    <Button component={Link} to={NEW_NOTE} leftSection={<IconPlus size={18} aria-hidden />}>
      {t("notes.new")}
    </Button>
  );
}

type NoneProps = { filtered: boolean; writes: boolean; onShowAll: () => void };

function NoNotes({ filtered, writes, onShowAll }: NoneProps) {
  const { t } = useLanguage();
  return (
    <div className="sheet">
      {filtered ? (
        <EmptyState
          icon={IconFilterOff}
          title={t("notes.noMatch")}
          hint={t("notes.noMatchHint")}
          action={
            <Button variant="default" onClick={onShowAll}>
              {t("notes.showAll")}
            </Button>
          }
        />
      ) : (
        <EmptyState
          icon={IconNotes}
          title={t("notes.empty")}
          hint={writes ? t("notes.emptyHint") : t("notes.emptyReader")}
          action={writes && <NewNote />}
        />
      )}
    </div>
  );
}

type FilterProps = { filter: NoteFilter; onChange: (filter: NoteFilter) => void; tags: string[]; total?: number };

function FilterBar({ filter, onChange, tags, total }: FilterProps) {
  const { t } = useLanguage();
  const resources = useResources().data ?? [];
  const [typed, setTyped] = useState({ text: filter.text, tag: filter.tag });
  // The filter is also changed elsewhere; a space that is still being typed after is left alone.
  useEffect(() => {
    setTyped((now) => ({
      text: now.text.trim() === filter.text ? now.text : filter.text,
      tag: now.tag.trim() === filter.tag ? now.tag : filter.tag,
    }));
  }, [filter.text, filter.tag]);
  const look = useDebouncedCallback((wanted: NoteFilter) => onChange(wanted), TYPED_AFTER);
  const type = (now: typeof typed) => {
    setTyped(now);
    look({ ...filter, ...now });
  };
  return (
    <Group gap="sm" mb="sm">
      <TextInput
        type="search"
        flex="1 1 200px"
        maw={{ base: "100%", sm: 320 }}
        aria-label={t("notes.find")}
        placeholder={t("notes.find")}
        leftSection={<IconSearch size={18} stroke={1.5} aria-hidden />}
        maxLength={200}
        value={typed.text}
        onChange={(event) => type({ ...typed, text: event.currentTarget.value })}
      />
      <Select
        flex="1 1 150px"
        maw={{ base: "100%", sm: 220 }}
        aria-label={t("notes.resource")}
        placeholder={t("notes.allResources")}
        clearable
        searchable={resources.length > 8}
        clearButtonProps={{ "aria-label": t("notes.allResources") }}
        nothingFoundMessage={t("notes.noSuchResource")}
        value={filter.resource}
        onChange={(resource) => onChange({ ...filter, ...typed, resource })}
        data={resources.map(({ slug, name }) => ({ value: slug, label: name }))}
      />
      <Autocomplete
        flex="1 1 130px"
        maw={{ base: "100%", sm: 200 }}
        aria-label={t("notes.tag")}
        placeholder={t("notes.anyTag")}
        leftSection={<IconTag size={18} stroke={1.5} aria-hidden />}
        clearable
        clearButtonProps={{ "aria-label": t("notes.anyTag") }}
        maxLength={200}
        value={typed.tag}
        onChange={(tag) => type({ ...typed, tag })}
        data={tags}
      />
      <Text c="dimmed" size="sm" role="status" ml="auto">
        {total !== undefined && t("notes.count", { count: total })}
      </Text>
    </Group>
  );
}

function Pages({ pages, page, onPage }: { pages: number; page: number; onPage: (page: number) => void }) {
  const { t } = useLanguage();
  if (pages <= 1) return null;
  return (
    <Group justify="center">
      <Pagination
        total={pages}
        value={Math.min(page, pages)}
        onChange={onPage}
        aria-label={t("operations.pages")}
        getItemProps={(number) => ({ "aria-label": t("operations.page", { number }) })}
        getControlProps={(control) => ({
          "aria-label": control === "previous" ? t("operations.previous") : t("operations.next"),
        })}
      />
    </Group>
  );
}
