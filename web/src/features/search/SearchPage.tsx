import { Button, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconBooks } from "@tabler/icons-react";
import { useRef } from "react";
import { Link, useSearchParams } from "react-router";
import { useLiveEvent } from "../../api/events";
import { useSample } from "../../api/sample";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { useLanguage } from "../../messages/language";
import { useKnowledgeBases } from "./queries";
import { Results } from "./Results";
import "./search.css";
import { SearchForm } from "./SearchForm";
import { readState, type SearchState, writeState } from "./searchState";

/** Many files at once make many events; one new look a while is enough. */
const LOOK_AGAIN_AFTER = 2_000;

export function SearchPage() {
  const { t } = useLanguage();
  // All of it is in the address, so that a search can be sent to somebody and Back leads to the one before.
  const [parameters, setParameters] = useSearchParams();
  const state = readState(parameters);
  const ask = (changes: Partial<SearchState>) =>
    setParameters(writeState({ ...state, ...changes }), { flushSync: true });
  useRenewedResults();
  return (
    <>
      <PageHeader title={t("search.title")} />
      <SearchForm key={state.question} state={state} onAsk={ask} />
      {state.question ? <Results state={state} /> : <Suggestions onAsk={(question) => ask({ question })} />}
    </>
  );
}

/** A document that has just been indexed may answer better. */
function useRenewedResults() {
  const queryClient = useQueryClient();
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLiveEvent((event) => {
    if (event.type !== "done") return;
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      queryClient.invalidateQueries({ queryKey: ["search"] });
    }, LOOK_AGAIN_AFTER);
  });
}

function Suggestions({ onAsk }: { onAsk: (question: string) => void }) {
  const { t } = useLanguage();
  const bases = useKnowledgeBases().data?.items;
  const sample = useSample().data;
  if (bases?.every((kb) => kb.stats.documentCount === 0)) {
    return (
      <EmptyState
        icon={IconBooks}
        title={t("search.nothingYet")}
        hint={t("search.nothingYetHint")}
        action={
          <Button component={Link} to="/knowledge">
            {t("search.addDocuments")}
          </Button>
        }
      />
    );
  }
  return (
    <Stack gap="xs" mt="lg" align="flex-start">
      <Text c="dimmed" maw={560}>
        {t("search.howTo")}
      </Text>
      {sample?.knowledgeBaseId && sample.indexedCount > 0 && (
        <>
          <Title order={2} mt="md">
            {t("search.tryOne")}
          </Title>
          {sample.questions.map((question) => (
            <Button key={question} variant="default" className="suggestion" lang="en" onClick={() => onAsk(question)}>
              {question}
            </Button>
          ))}
        </>
      )}
    </Stack>
  );
}
