import { Group, Progress, Text } from "@mantine/core";
import { useLanguage } from "../../messages/language";

/** From where on a passage is called so; an answer is only given from what is at least possible. */
export const VERY_LIKELY = 0.85;
export const LIKELY = 0.6;
export const POSSIBLE = 0.3;

/** How probably a passage is relevant: a bar, and the same in words. */
export function Score({ similarity }: { similarity: number }) {
  const { t } = useLanguage();
  const words =
    similarity >= VERY_LIKELY
      ? t("search.score.veryLikely")
      : similarity >= LIKELY
        ? t("search.score.likely")
        : similarity >= POSSIBLE
          ? t("search.score.possible")
          : t("search.score.unlikely");
  return (
    <Group gap={8} wrap="nowrap">
      <Progress value={similarity * 100} w={48} size="sm" aria-hidden="true" />
      <Text size="sm" c="dimmed">
        {words}
      </Text>
    </Group>
  );
}
