import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useLanguage } from "../../messages/language";

type Props = { title: string; intro: string; addLabel: string; onAdd: (() => void) | null; children: ReactNode };

/** One kind of model: what it is for, the list, and a way to add one for whoever may. */
export function ModelSection({ title, intro, addLabel, onAdd, children }: Props) {
  const { t } = useLanguage();
  return (
    <Stack component="section" gap="md" aria-label={title}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} flex={{ base: "1 1 100%", sm: 1 }}>
          <Title order={2}>{title}</Title>
          <Text c="dimmed" maw={640}>
            {intro}
            {!onAdd && ` ${t("settings.ownersOnly")}`}
          </Text>
        </Stack>
        {onAdd && (
          <Button onClick={onAdd} aria-label={addLabel} leftSection={<IconPlus size={18} aria-hidden />}>
            {t("models.add")}
          </Button>
        )}
      </Group>
      {children}
    </Stack>
  );
}
