import { Button, Group, Select, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFiles, IconFilterOff, IconPlus, IconSearch } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { useLanguage } from "../../messages/language";
import { askForFiles } from "./chosenFiles";
import { DocumentList } from "./DocumentList";
import type { Document, DocumentFilter, DocumentStatus } from "./documentQueries";
import { useKnowledgeBaseContext } from "./KnowledgeBasePage";
import { SelectionBar } from "./SelectionBar";
import { addFiles } from "./uploads";

const STATUSES: DocumentStatus[] = ["pending", "indexing", "indexed", "failed"];
const TYPED_AFTER = 250;

/** The documents of a knowledge base. The filter is in the address, so that it can be linked to. */
export function DocumentsTab() {
  const { t } = useLanguage();
  const { kb, writes } = useKnowledgeBaseContext();
  const [parameters, setParameters] = useSearchParams();
  const status = STATUSES.find((known) => known === parameters.get("status")) ?? null;
  const text = parameters.get("q") ?? "";
  const filter = useMemo<DocumentFilter>(() => ({ status, text }), [status, text]);
  const [selected, setSelected] = useState<ReadonlyMap<string, Document>>(new Map());
  const [total, setTotal] = useState<number>();
  const setFilter = useCallback(
    (wanted: DocumentFilter) => {
      setSelected(new Map());
      const next: Record<string, string> = {};
      if (wanted.status) next.status = wanted.status;
      if (wanted.text.trim()) next.q = wanted.text.trim();
      setParameters(next, { replace: true });
    },
    [setParameters],
  );
  const filtered = status !== null || text !== "";
  if (kb.stats.documentCount === 0 && !filtered) return <NoDocuments kbId={kb.id} writes={writes} />;
  return (
    <>
      <FilterBar filter={filter} onChange={setFilter} total={total} />
      <SelectionBar selected={selected} onClear={() => setSelected(new Map())} />
      <DocumentList
        key={`${status}\n${text}`}
        kbId={kb.id}
        filter={filter}
        writes={writes}
        selected={selected}
        onSelect={setSelected}
        onTotal={setTotal}
        empty={
          <EmptyState
            icon={IconFilterOff}
            title={t("documents.noMatch")}
            hint={t("documents.noMatchHint")}
            action={
              <Button variant="default" onClick={() => setFilter({ status: null, text: "" })}>
                {t("documents.showAll")}
              </Button>
            }
          />
        }
      />
    </>
  );
}

function NoDocuments({ kbId, writes }: { kbId: string; writes: boolean }) {
  const { t } = useLanguage();
  const add = async () => {
    const files = await askForFiles();
    if (files?.length) addFiles(kbId, files);
  };
  return (
    <div className="sheet">
      <EmptyState
        icon={IconFiles}
        title={t("documents.empty")}
        hint={writes ? t("documents.emptyHint") : t("documents.emptyReader")}
        action={
          writes && (
            <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={add}>
              {t("uploads.add")}
            </Button>
          )
        }
      />
    </div>
  );
}

type FilterProps = { filter: DocumentFilter; onChange: (filter: DocumentFilter) => void; total: number | undefined };

function FilterBar({ filter, onChange, total }: FilterProps) {
  const { t } = useLanguage();
  const [typed, setTyped] = useState(filter.text);
  // The filter is also cleared elsewhere; a space that is still being typed after is left alone.
  useEffect(() => setTyped((now) => (now.trim() === filter.text ? now : filter.text)), [filter.text]);
  const look = useDebouncedCallback((text: string) => onChange({ ...filter, text }), TYPED_AFTER);
  return (
    <Group gap="sm" mb="sm">
      <TextInput
        type="search"
        flex="1 1 200px"
        maw={360}
        aria-label={t("documents.filter.text")}
        placeholder={t("documents.filter.text")}
        leftSection={<IconSearch size={18} stroke={1.5} aria-hidden />}
        maxLength={200}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          look(event.currentTarget.value);
        }}
      />
      <Select
        w={170}
        aria-label={t("documents.filter.status")}
        allowDeselect={false}
        value={filter.status ?? "all"}
        onChange={(value) => onChange({ text: typed, status: STATUSES.find((known) => known === value) ?? null })}
        data={[
          { value: "all", label: t("documents.filter.all") },
          ...STATUSES.map((status) => ({ value: status, label: t(`documents.filter.${status}`) })),
        ]}
      />
      <Text c="dimmed" size="sm" role="status" ml="auto">
        {total !== undefined && t("documents.count", { count: total })}
      </Text>
    </Group>
  );
}
