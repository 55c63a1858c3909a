import { Alert, Code, Group, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { CopyButton } from "../../components/CopyButton";
import { ErrorState } from "../../components/ErrorState";
import { formatMilliseconds } from "../../components/formats";
import { Loading } from "../../components/Loading";
import { useLanguage } from "../../messages/language";
import type { Answer } from "./queries";

type Props = { answer?: Answer; error: unknown; busy: boolean };

/** What a tool answered: in words, and for a program. A refusal says what to mend. */
export function AnswerSheet({ answer, error, busy }: Props) {
  const { t } = useLanguage();
  return (
    <section className="sheet" style={{ padding: "var(--mantine-spacing-md)" }} aria-label={t("tools.answer")}>
      <Stack>
        <Title order={2}>{t("tools.answer")}</Title>
        <div aria-live="polite">
          {busy ? (
            <Loading rows={3} />
          ) : error ? (
            <ErrorState error={error} />
          ) : answer ? (
            <Answered answer={answer} />
          ) : (
            <Text c="dimmed">{t("tools.answerEmpty")}</Text>
          )}
        </div>
      </Stack>
    </section>
  );
}

function Answered({ answer }: { answer: Answer }) {
  const { t, language } = useLanguage();
  const text = answer.content.map((part) => part.text).join("\n");
  const json = JSON.stringify(answer.metadata, null, 2);
  const code = answer.metadata.error_code;
  return (
    <Stack>
      {answer.status === "error" ? (
        <Alert color="red" title={t("tools.refused")} icon={<IconAlertTriangle aria-hidden />}>
          <Text lang="en" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {text.replace(/^Error: /, "")}
          </Text>
          {typeof code === "string" && <Code mt="xs">{code}</Code>}
        </Alert>
      ) : (
        <>
          <Group gap={6} c="dimmed" fz="sm">
            <IconCheck size={18} stroke={1.5} aria-hidden />
            {t("tools.done")}, {t("tools.took", { duration: formatMilliseconds(answer.milliseconds, language) })}
          </Group>
          <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{text}</Text>
        </>
      )}
      <details>
        <summary style={{ cursor: "pointer" }}>{t("tools.metadata")}</summary>
        <Stack gap="sm" mt="sm">
          <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {json}
          </Code>
          <Group justify="flex-end">
            <CopyButton text={json} label={t("tools.copyMetadata")} />
          </Group>
        </Stack>
      </details>
    </Stack>
  );
}
