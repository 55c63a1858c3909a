import { Stack, Text } from "@mantine/core";
import { IconZoomQuestion } from "@tabler/icons-react";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { ErrorState } from "../../components/ErrorState";
import { Loading } from "../../components/Loading";
import { useLanguage } from "../../messages/language";
import { Answer, Warnings } from "./Answer";
import { HitCard } from "./HitCard";
import { useAnswer, useSearch } from "./queries";
import { type SearchState, writeState } from "./searchState";
import { viewerAddress } from "./viewerAddress";
import { questionWords } from "./words";

/** The answer, and below it what was found. While the next one is looked for, the last one stays, dimmed. */
export function Results({ state }: { state: SearchState }) {
  const { t } = useLanguage();
  const found = useSearch(state);
  const answer = useAnswer(state);
  const words = useMemo(() => questionWords(state.question), [state.question]);
  const linkTo = (hit: Schemas["HitOut"]) => viewerAddress(hit.documentId, hit.chunkId, writeState(state));
  if (found.error) return <ErrorState error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data) {
    return (
      <Stack gap="md">
        <Answer query={answer} linkTo={linkTo} />
        {[0, 1, 2].map((place) => (
          <div key={place} className="sheet">
            <Loading rows={3} />
          </div>
        ))}
      </Stack>
    );
  }
  const { results, note, warnings, omittedCount } = found.data;
  if (results.length === 0) {
    return (
      <Stack gap="md" className={found.isPlaceholderData ? "earlier" : undefined}>
        <Warnings warnings={warnings} />
        <EmptyState icon={IconZoomQuestion} title={t("search.none")} hint={note ?? t("search.noneHint")} />
      </Stack>
    );
  }
  return (
    <Stack gap="md" aria-busy={found.isPlaceholderData}>
      <Answer query={answer} linkTo={linkTo} />
      <Warnings warnings={warnings} />
      <Text c="dimmed" role="status">
        {t("search.found", { count: results.length })}
        {omittedCount > 0 && ` ${t("search.omitted", { count: omittedCount })}`}
      </Text>
      <Stack gap="md" className={found.isPlaceholderData ? "earlier" : undefined}>
        {results.map((hit) => (
          <HitCard key={hit.chunkId} hit={hit} hits={results} words={words} linkTo={linkTo} />
        ))}
      </Stack>
    </Stack>
  );
}
