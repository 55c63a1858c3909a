import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch, IconZoomQuestion } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { useSearch } from "./queries";

export function SearchPage() {
  const { t } = useLanguage();
  // The question is in the address, so that an answer can be sent to somebody and found again.
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("q") ?? "";
  const [text, setText] = useState(asked);
  const found = useSearch(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setParameters(text.trim() ? { q: text.trim() } : {});
  };
  return (
    <>
      <PageHeader title={t("search.title")} />
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm" mb="lg">
          <TextInput
            flex={1}
            miw={200}
            type="search"
            label={t("search.box")}
            leftSection={<IconSearch size={18} stroke={1.5} aria-hidden />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={found.isFetching}>
            {t("search.submit")}
          </Button>
        </Group>
      </form>
      {asked && <QueryState query={found}>{(answer) => <Hits hits={answer.results} />}</QueryState>}
    </>
  );
}

function Hits({ hits }: { hits: Schemas["HitOut"][] }) {
  const { t } = useLanguage();
  if (hits.length === 0) {
    return <EmptyState icon={IconZoomQuestion} title={t("search.none")} hint={t("search.noneHint")} />;
  }
  return (
    <Stack gap="md">
      <Text c="dimmed" role="status">
        {t("search.found", { count: hits.length })}
      </Text>
      {hits.map((hit) => (
        <Stack key={hit.chunkId} className="sheet" p="md" gap={6} component="article">
          <Text fw={500}>{hit.citation}</Text>
          <Text size="sm" lineClamp={4} style={{ whiteSpace: "pre-line" }}>
            {hit.content}
          </Text>
          <Text size="sm" c="dimmed">
            {hit.knowledgeBaseName}
          </Text>
        </Stack>
      ))}
    </Stack>
  );
}
