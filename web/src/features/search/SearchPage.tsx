import { Button, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconBooks } from "@tabler/icons-react";
import { useRef } from "react";
import { Link, useSearchParams } from "react-router";
import { useLiveEvent } from "../../api/events";
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
/** What the sample that comes with Pinakes can answer; it is written in English. */
const SAMPLE_SLUG = "sample";
const SAMPLE_QUESTIONS = [
  "How many scrolls did the Pinakes of Callimachus fill?",
  "What happened to books found on ships in the harbour of Alexandria?",
  "How could a reader tell one scroll from another on a shelf?",
  "What were playing cards used for in the French Revolution?",
];

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
  const sample = bases?.some((kb) => kb.slug === SAMPLE_SLUG && kb.stats.documentCount > 0);
  return (
    <Stack gap="xs" mt="lg" align="flex-start">
      <Text c="dimmed" maw={560}>
        {t("search.howTo")}
      </Text>
      {sample && (
        <>
          <Title order={2} mt="md">
            {t("search.tryOne")}
          </Title>
          {SAMPLE_QUESTIONS.map((question) => (
            <Button key={question} variant="default" className="suggestion" lang="en" onClick={() => onAsk(question)}>
              {question}
            </Button>
          ))}
        </>
      )}
    </Stack>
  );
}
