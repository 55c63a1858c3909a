import { ActionIcon, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useNavigate } from "react-router";
import { useLanguage } from "../../messages/language";
import { useSearch } from "./queries";
import { readState } from "./searchState";
import { viewerAddress } from "./viewerAddress";

/** From one passage of a search to the next, whichever documents they stand in. */
export function FoundPassages({ search, chunkId }: { search: string; chunkId: string }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  const parameters = new URLSearchParams(search);
  const hits = useSearch(readState(parameters)).data?.results ?? [];
  const at = hits.findIndex((hit) => hit.chunkId === chunkId);
  if (at < 0) return null;
  const open = (place: number) => {
    const hit = hits[place];
    // Back leads to the results, however many passages were looked at.
    if (hit) navigate(viewerAddress(hit.documentId, hit.chunkId, parameters), { replace: true });
  };
  return (
    <Group gap={4} wrap="nowrap" component="nav" aria-label={t("viewer.passages")}>
      <ActionIcon
        variant="subtle"
        size="lg"
        aria-label={t("viewer.previousPassage")}
        title={t("viewer.previousPassage")}
        disabled={at === 0}
        onClick={() => open(at - 1)}
      >
        <IconChevronLeft size={18} stroke={1.5} aria-hidden />
      </ActionIcon>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t("viewer.passage", { number: String(at + 1), total: String(hits.length) })}
      </Text>
      <ActionIcon
        variant="subtle"
        size="lg"
        aria-label={t("viewer.nextPassage")}
        title={t("viewer.nextPassage")}
        disabled={at === hits.length - 1}
        onClick={() => open(at + 1)}
      >
        <IconChevronRight size={18} stroke={1.5} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
