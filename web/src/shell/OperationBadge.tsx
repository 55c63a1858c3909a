import { Badge, Group, VisuallyHidden } from "@mantine/core";
import { Count } from "../components/Numbers";
import { useOperationCounts } from "../features/operations/queries";
import { useLanguage } from "../messages/language";

/** How much is going on and how much failed, beside the name of the section; nothing while all is quiet. */
export function OperationBadge() {
  const { t } = useLanguage();
  const counts = useOperationCounts().data;
  if (!counts) return null;
  const busy = counts.pending + counts.running;
  if (busy + counts.failed === 0) return null;
  return (
    <Group gap={4} wrap="nowrap">
      {busy > 0 && (
        <Badge variant="default" size="md" tt="none">
          <span aria-hidden>
            <Count value={busy} />
          </span>
          <VisuallyHidden>{t("operations.badge.running", { count: busy })}</VisuallyHidden>
        </Badge>
      )}
      {counts.failed > 0 && (
        <Badge variant="light" color="red" size="md" tt="none">
          <span aria-hidden>
            <Count value={counts.failed} />
          </span>
          <VisuallyHidden>{t("operations.badge.failed", { count: counts.failed })}</VisuallyHidden>
        </Badge>
      )}
    </Group>
  );
}
