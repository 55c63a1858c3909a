import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock, IconLoader2 } from "@tabler/icons-react";
import type { Schemas } from "../api/client";
import { useLanguage } from "../messages/language";

const ICONS = { pending: IconClock, indexing: IconLoader2, indexed: IconCheck, failed: IconAlertTriangle };

/** How far a document is, in a word and with a sign. */
export function DocumentStatusText({ document }: { document: Pick<Schemas["DocumentOut"], "status" | "progress"> }) {
  const { t } = useLanguage();
  const { status, progress } = document;
  const Picture = ICONS[status];
  const words = status === "indexing" ? t("documents.status.indexing", { progress }) : t(`documents.status.${status}`);
  return (
    <Text
      component="span"
      inherit
      style={{ whiteSpace: "nowrap" }}
      c={status === "failed" ? "var(--mantine-color-error)" : undefined}
    >
      <Picture size={16} stroke={1.5} aria-hidden style={{ verticalAlign: "-3px", marginInlineEnd: 4 }} />
      {words}
    </Text>
  );
}
