import { Anchor, Badge, Group, Progress, Stack, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowsExchange,
  IconBan,
  IconCheck,
  IconClock,
  IconFileText,
  type Icon,
} from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { formatDuration } from "./duration";
import { OperationActs } from "./OperationActs";
import type { Operation } from "./queries";
import type { Status } from "./tabs";

const PICTURES: Record<Status, Icon | null> = {
  running: null,
  pending: IconClock,
  failed: IconAlertTriangle,
  completed: IconCheck,
  terminated: IconBan,
};

export function OperationList({ items, writes }: { items: Operation[]; writes: boolean }) {
  const { t } = useLanguage();
  return (
    <Stack component="ul" className="sheet" gap={0} m={0} p={0} aria-label={t("operations.title")}>
      {items.map((operation, place) => (
        <li
          key={operation.id}
          style={{
            listStyle: "none",
            padding: "var(--mantine-spacing-md)",
            borderTop: place ? "1px solid var(--mantine-color-default-border)" : undefined,
          }}
        >
          <OperationRow operation={operation} writes={writes} />
        </li>
      ))}
    </Stack>
  );
}

function OperationRow({ operation, writes }: { operation: Operation; writes: boolean }) {
  const { t } = useLanguage();
  const Picture = PICTURES[operation.status] ?? (operation.kind === "switch" ? IconArrowsExchange : IconFileText);
  const failed = operation.status === "failed";
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap">
      <Picture
        size={20}
        stroke={1.5}
        aria-hidden
        color={failed ? "var(--mantine-color-error)" : "var(--mantine-color-dimmed)"}
        style={{ flexShrink: 0, marginTop: 2 }}
      />
      <Stack gap={4} flex={1} miw={0}>
        <Group justify="space-between" align="flex-start" gap="xs">
          <Text fw={500} style={{ overflowWrap: "anywhere" }} flex={1} miw={180}>
            <What operation={operation} />
          </Text>
          {writes && <OperationActs operation={operation} />}
        </Group>
        {operation.status === "running" && (
          <Group gap="sm" wrap="nowrap">
            <Progress value={operation.progress} flex={1} aria-label={t("operations.progress")} />
            <Text size="sm" c="dimmed" miw={44} ta="right">
              {operation.progress} %
            </Text>
          </Group>
        )}
        {operation.error && (
          <Text
            size="sm"
            c={failed ? "var(--mantine-color-error)" : undefined}
            style={{ overflowWrap: "anywhere", whiteSpace: "pre-line" }}
          >
            {failed ? operation.error : t("operations.waitsFor", { reason: operation.error })}
          </Text>
        )}
        <Facts operation={operation} />
      </Stack>
    </Group>
  );
}

/** What it does in words, with a way to what it is about. */
function What({ operation }: { operation: Operation }) {
  const { t } = useLanguage();
  if (operation.kind === "switch") {
    return operation.embedder
      ? t("operations.switchTo", { name: operation.knowledgeBaseName, embedder: modelName(operation.embedder, t) })
      : t("operations.switch", { name: operation.knowledgeBaseName });
  }
  return (
    <>
      {t("operations.index")}{" "}
      <Anchor component={Link} to={`/documents/${operation.documentId}`} inherit>
        {operation.documentName}
      </Anchor>
    </>
  );
}

function modelName(embedder: string, t: ReturnType<typeof useLanguage>["t"]): string {
  return embedder === "none" ? t("operations.keywordsOnly") : embedder;
}

function Facts({ operation }: { operation: Operation }) {
  const { t } = useLanguage();
  return (
    <Group gap={6} fz="sm" c="dimmed">
      {operation.status === "terminated" && (
        <Badge variant="default" tt="none" fw={500} size="md">
          {t("operations.status.terminated")}
        </Badge>
      )}
      <Anchor
        component={Link}
        to={`/knowledge/${operation.knowledgeBaseId}`}
        inherit
        style={{ overflowWrap: "anywhere" }}
      >
        {operation.knowledgeBaseName}
      </Anchor>
      <span aria-hidden>·</span>
      <When operation={operation} />
      {operation.attempts > 1 && operation.status !== "terminated" && (
        <>
          <span aria-hidden>·</span>
          <span>{t("operations.attempts", { count: operation.attempts })}</span>
        </>
      )}
    </Group>
  );
}

/** Since when it waits, how long it runs, or when it ended and how long that took. */
function When({ operation }: { operation: Operation }) {
  const { t, language } = useLanguage();
  const { startedAt, finishedAt, createdAt } = operation;
  if (finishedAt) {
    const took = startedAt ? new Date(finishedAt).getTime() - new Date(startedAt).getTime() : null;
    return (
      <span>
        <TimeAgo time={finishedAt} />
        {took !== null && operation.status === "completed" && (
          <>, {t("operations.took", { duration: formatDuration(took, language) })}</>
        )}
      </span>
    );
  }
  if (operation.status === "running" && startedAt) return <RunningFor since={startedAt} />;
  return (
    <span>
      {t("operations.added")} <TimeAgo time={createdAt} />
    </span>
  );
}

function RunningFor({ since }: { since: string }) {
  const { t, language } = useLanguage();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(tick);
  }, []);
  // The server's clock may be a little ahead of ours.
  const duration = formatDuration(Math.max(0, now - new Date(since).getTime()), language);
  return <span>{t("operations.runningFor", { duration })}</span>;
}
