import { Stack, Text, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

type Props = { icon: Icon; title: string; hint?: string; action?: ReactNode };

/** Nothing here yet: says so, and what to do next. */
export function EmptyState({ icon: Picture, title, hint, action }: Props) {
  return (
    <Stack align="center" gap="xs" py={56} px="md" ta="center">
      <Picture size={40} stroke={1.25} color="var(--mantine-color-dimmed)" aria-hidden />
      <Title order={2}>{title}</Title>
      {hint && (
        <Text c="dimmed" maw={440}>
          {hint}
        </Text>
      )}
      {action && <div style={{ marginTop: "var(--mantine-spacing-sm)" }}>{action}</div>}
    </Stack>
  );
}
