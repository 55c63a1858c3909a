import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import { useLanguage } from "../messages/language";

/** The shape of what is coming, so that nothing jumps when it comes. */
export function Loading({ rows = 4 }: { rows?: number }) {
  const { t } = useLanguage();
  return (
    <Stack gap="sm" p="md" role="status">
      <VisuallyHidden>{t("state.loading")}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={22} width={`${100 - ((row * 13) % 40)}%`} />
      ))}
    </Stack>
  );
}
