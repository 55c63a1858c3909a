import { Button, Checkbox, Group, Popover, Stack, TagsInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconFilter } from "@tabler/icons-react";
import type { Schemas } from "../../api/client";
import { writeTag } from "../../components/tags";
import { useLanguage } from "../../messages/language";
import { countFilters, type Kind, KINDS, type SearchState } from "./searchState";

type Props = { state: SearchState; onAsk: (changes: Partial<SearchState>) => void };

/** Which documents may answer. */
export function Filters({ state, onAsk }: Props) {
  const { t } = useLanguage();
  const count = countFilters(state);
  return (
    <Popover width={320} position="bottom-start" trapFocus withRoles shadow="none">
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={18} stroke={1.5} aria-hidden />}>
          {count ? t("search.filtersChosen", { count }) : t("search.filters")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="search-panel">
        <Stack gap="md">
          <Checkbox.Group
            label={t("search.kinds")}
            value={state.kinds}
            onChange={(kinds) => onAsk({ kinds: kinds as Kind[] })}
          >
            <Group mt="xs">
              {KINDS.map((kind) => (
                <Checkbox key={kind} value={kind} label={t(`search.kind.${kind}`)} />
              ))}
            </Group>
          </Checkbox.Group>
          <TagsInput
            label={t("search.tags")}
            description={t("search.tagsHint")}
            value={state.tags}
            onChange={(tags) => onAsk({ tags })}
            data={useSeenTags()}
            comboboxProps={{ withinPortal: false }}
          />
          <Group grow>
            <TextInput
              type="date"
              label={t("search.from")}
              value={state.from}
              max={state.to || undefined}
              onChange={(event) => onAsk({ from: event.currentTarget.value })}
            />
            <TextInput
              type="date"
              label={t("search.to")}
              value={state.to}
              min={state.from || undefined}
              onChange={(event) => onAsk({ to: event.currentTarget.value })}
            />
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Tags of what was found so far, to choose from. */
function useSeenTags(): string[] {
  const answers = useQueryClient().getQueriesData<Schemas["SearchOut"]>({ queryKey: ["search", "hits"] });
  const tags = answers.flatMap(([, answer]) => answer?.results.flatMap((hit) => hit.metadata.tags) ?? []);
  return [...new Set(tags.map(writeTag))];
}
