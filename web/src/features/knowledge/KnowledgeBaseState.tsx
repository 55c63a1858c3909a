import { Group, Text, ThemeIcon } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconLoader2, IconReplace } from "@tabler/icons-react";
import { useLanguage } from "../../messages/language";
import type { KnowledgeBase } from "./queries";
import { stateOf } from "./states";

const ICONS = {
  empty: IconCircleDashed,
  indexing: IconLoader2,
  failed: IconAlertTriangle,
  switching: IconReplace,
  ready: IconCheck,
};

/** How a knowledge base is doing, in words and with a sign. */
export function KnowledgeBaseState({ kb }: { kb: KnowledgeBase }) {
  const { t } = useLanguage();
  const state = stateOf(kb);
  const { documentCount, unfinishedCount, failedCount } = kb.stats;
  const Picture = ICONS[state];
  const words = {
    empty: () => t("knowledge.state.empty"),
    indexing: () => t("knowledge.state.indexing", { done: documentCount - unfinishedCount, count: documentCount }),
    failed: () => t("knowledge.state.failed", { count: failedCount }),
    switching: () => t("knowledge.state.switching"),
    ready: () => t("knowledge.state.ready"),
  }[state];
  const color = state === "failed" ? "var(--mantine-color-error)" : undefined;
  return (
    <Group gap={6} wrap="nowrap">
      <ThemeIcon variant="transparent" size={18} c={color ?? "dimmed"} aria-hidden>
        <Picture size={18} stroke={1.5} />
      </ThemeIcon>
      <Text component="span" size="sm" c={color}>
        {words()}
      </Text>
    </Group>
  );
}
