import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

type Props = { title: string; description?: ReactNode; actions?: ReactNode };

/** A page's heading, with what can be done on it; also the browser's title. */
export function PageHeader({ title, description, actions }: Props) {
  useEffect(() => {
    document.title = `${title} · Pinakes`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      {/* A long description takes a second line before it pushes the actions below itself. */}
      <Stack gap={4} flex={description && actions ? "1 1 280px" : undefined}>
        <Title order={1}>{title}</Title>
        {description && <Text c="dimmed">{description}</Text>}
      </Stack>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}
