import { Anchor, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconArrowRight, IconBooks } from "@tabler/icons-react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { useLoadSample, useRemoveSample } from "../../api/sample";

type Props = { sample: Schemas["SampleOut"]; writes: boolean };

/** The sample as it is: to be asked, on its way, or to be loaded. */
export function SampleStep({ sample, writes }: Props) {
  if (sample.knowledgeBaseId === null) return <NoSample writes={writes} />;
  return <Sample sample={sample} writes={writes} />;
}

function Sample({ sample, writes }: Props) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const remove = useRemoveSample();
  const reading = sample.indexedCount < sample.documentCount;
  return (
    <>
      <Text>{t("welcome.askHint")}</Text>
      {reading ? (
        <Stack gap={6} role="status">
          <Text c="dimmed">{t("welcome.reading", { done: sample.indexedCount, count: sample.documentCount })}</Text>
          <Progress
            value={(100 * sample.indexedCount) / Math.max(1, sample.documentCount)}
            aria-label={t("welcome.readingLabel")}
          />
        </Stack>
      ) : (
        <Questions questions={sample.questions} />
      )}
      {writes && (
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {t("welcome.removeHint")}
          </Text>
          {/* Nothing is lost that one click does not bring back, so nothing is asked. */}
          <Button
            variant="subtle"
            color="red"
            size="compact-md"
            ml={-8}
            loading={remove.isPending}
            onClick={() => remove.mutateAsync().then(() => say(t("welcome.removed")), sayError)}
          >
            {t("welcome.remove")}
          </Button>
        </Group>
      )}
    </>
  );
}

/** The sample is written in English, whatever the page speaks. */
function Questions({ questions }: { questions: string[] }) {
  const { t } = useLanguage();
  return (
    <Stack component="ul" gap={8} m={0} p={0} aria-label={t("welcome.questions")}>
      {questions.map((question) => (
        <li key={question} style={{ listStyle: "none" }}>
          <Anchor component={Link} to={`/search?${new URLSearchParams({ q: question })}`} lang="en" underline="hover">
            <Group gap={8} wrap="nowrap" align="flex-start">
              <IconArrowRight size={18} stroke={1.5} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
              {question}
            </Group>
          </Anchor>
        </li>
      ))}
    </Stack>
  );
}

function NoSample({ writes }: { writes: boolean }) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const load = useLoadSample();
  if (!writes) return <Text>{t("welcome.noSampleViewer")}</Text>;
  return (
    <>
      <Text>{t("welcome.noSample")}</Text>
      <Group>
        <Button
          variant="default"
          loading={load.isPending}
          onClick={() => load.mutate(undefined, { onError: sayError })}
          leftSection={<IconBooks size={18} stroke={1.5} aria-hidden />}
        >
          {t("welcome.load")}
        </Button>
      </Group>
    </>
  );
}
