import { Alert, Skeleton, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { ErrorState } from "../../components/ErrorState";
import { useLanguage } from "../../messages/language";
import { splitAnswer } from "./answerParts";
import { isLined } from "./places";
import { plainSentence } from "./plainText";

type Props = { query: UseQueryResult<Schemas["AnswerOut"]>; linkTo: (hit: Schemas["HitOut"]) => string };

/** The documents' own sentences, each with the number of its source, which opens it. */
export function Answer({ query, linkTo }: Props) {
  const { t } = useLanguage();
  const answer = query.data;
  if (query.error && !answer) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (!answer) return <AnswerLoading />;
  if (answer.sources.length === 0) {
    return (
      <Text c="dimmed" className={query.isPlaceholderData ? "earlier" : undefined}>
        {[answer.answer, answer.note].filter(Boolean).join(" ")}
      </Text>
    );
  }
  const links = new Map(answer.sources.map(({ number, source }) => [number, { to: linkTo(source), source }]));
  return (
    <section className={`sheet answer${query.isPlaceholderData ? " earlier" : ""}`} aria-label={t("search.answer")}>
      <Title order={2} mb="xs">
        {t("search.answer")}
      </Title>
      <p className="answer-text">
        {splitAnswer(answer.answer, answer.sources.length).map(({ text, number }) => (
          <span key={number}>
            {isLined(links.get(number)?.source.metadata.mediaType ?? "") ? text : plainSentence(text)}{" "}
            <Link
              to={links.get(number)?.to ?? ""}
              className="citation"
              aria-label={t("search.source", { number, citation: links.get(number)?.source.citation ?? "" })}
            >
              [{number}]
            </Link>{" "}
          </span>
        ))}
      </p>
      <ol className="sources">
        {[...links].map(([number, { to, source }]) => (
          <li key={number}>
            <span aria-hidden>[{number}]</span> <Link to={to}>{source.citation}</Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

function AnswerLoading() {
  const { t } = useLanguage();
  return (
    <Stack className="sheet answer" gap="sm" role="status">
      <VisuallyHidden>{t("state.loading")}</VisuallyHidden>
      <Skeleton height={24} width={120} />
      <Skeleton height={18} />
      <Skeleton height={18} width="70%" />
    </Stack>
  );
}

/** What the server has to say about how it searched, in its own words. */
export function Warnings({ warnings }: { warnings: string[] }) {
  const { t } = useLanguage();
  if (warnings.length === 0) return null;
  return (
    <Alert color="gray" variant="outline" title={t("search.warnings")} icon={<IconInfoCircle aria-hidden />}>
      {warnings.map((warning) => (
        <Text key={warning} size="sm">
          {warning}
        </Text>
      ))}
    </Alert>
  );
}
