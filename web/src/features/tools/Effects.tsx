import { Badge, Group } from "@mantine/core";
import { IconEye, IconPencil, IconTrash, IconWorld } from "@tabler/icons-react";
import type { Tool } from "../../api/tools";
import { useLanguage } from "../../messages/language";
import { effectOf } from "./effects";

const PICTURES = { reads: IconEye, writes: IconPencil, deletes: IconTrash };

/** What a tool does, in a word and a picture. */
export function Effects({ tool }: { tool: Tool }) {
  const { t } = useLanguage();
  const effect = effectOf(tool);
  const Picture = PICTURES[effect];
  return (
    <Group gap={6} component="span">
      <Badge
        component="span"
        variant="default"
        size="lg"
        fz="xs"
        tt="none"
        fw={500}
        c={effect === "deletes" ? "var(--mantine-color-error)" : undefined}
        leftSection={<Picture size={14} stroke={1.5} aria-hidden />}
      >
        {t(`tools.effect.${effect}`)}
      </Badge>
      {tool.annotations.openWorld && (
        <Badge
          component="span"
          variant="default"
          size="lg"
          fz="xs"
          tt="none"
          fw={500}
          leftSection={<IconWorld size={14} stroke={1.5} aria-hidden />}
        >
          {t("tools.openWorld")}
        </Badge>
      )}
    </Group>
  );
}
