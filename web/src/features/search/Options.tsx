import { Button, Input, Popover, SegmentedControl, Select, Stack, Switch } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useLanguage } from "../../messages/language";
import { useRerankers } from "./queries";
import { countOptions, type SearchState } from "./searchState";
import { LIKELY, POSSIBLE, VERY_LIKELY } from "./Score";

type Props = { state: SearchState; onAsk: (changes: Partial<SearchState>) => void };

const COUNTS = ["5", "10", "15", "20"];
const USUAL = "usual";

/** How to search; nobody has to look here. */
export function Options({ state, onAsk }: Props) {
  const { t } = useLanguage();
  const count = countOptions(state);
  return (
    <Popover width={320} position="bottom-start" trapFocus withRoles shadow="none">
      <Popover.Target>
        <Button variant="default" leftSection={<IconAdjustmentsHorizontal size={18} stroke={1.5} aria-hidden />}>
          {count ? t("search.optionsChosen", { count }) : t("search.options")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="search-panel">
        <Stack gap="md">
          <Select
            label={t("search.count")}
            data={COUNTS.includes(String(state.count)) ? COUNTS : [String(state.count), ...COUNTS]}
            value={String(state.count)}
            onChange={(value) => value && onAsk({ count: Number(value) })}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
          <LeastScore state={state} onAsk={onAsk} />
          <Input.Wrapper label={t("search.diversity")} description={t("search.diversityHint")}>
            <SegmentedControl
              fullWidth
              mt={6}
              aria-label={t("search.diversity")}
              value={String(state.diversity)}
              onChange={(value) => onAsk({ diversity: Number(value) })}
              data={[
                { value: "0", label: t("search.diversity.off") },
                { value: "0.3", label: t("search.diversity.some") },
                { value: "0.7", label: t("search.diversity.much") },
              ]}
            />
          </Input.Wrapper>
          <Switch
            label={t("search.multiHop")}
            description={t("search.multiHopHint")}
            checked={state.multiHop}
            onChange={(event) => onAsk({ multiHop: event.currentTarget.checked })}
          />
          <Reranker state={state} onAsk={onAsk} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function LeastScore({ state, onAsk }: Props) {
  const { t } = useLanguage();
  const steps = [
    { value: "0", label: t("search.minScore.any") },
    { value: String(POSSIBLE), label: t("search.minScore.possible") },
    { value: String(LIKELY), label: t("search.minScore.likely") },
    { value: String(VERY_LIKELY), label: t("search.minScore.veryLikely") },
  ];
  const chosen = String(state.minScore);
  if (!steps.some((step) => step.value === chosen)) steps.push({ value: chosen, label: chosen });
  return (
    <Select
      label={t("search.minScore")}
      data={steps}
      value={chosen}
      onChange={(value) => value && onAsk({ minScore: Number(value) })}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

/** Only where the workspace has brought one. */
function Reranker({ state, onAsk }: Props) {
  const { t } = useLanguage();
  const rerankers = useRerankers().data ?? [];
  if (rerankers.length === 0) return null;
  const own = rerankers.find((reranker) => reranker.isDefault)?.name;
  return (
    <Select
      label={t("search.reranker")}
      data={[
        { value: USUAL, label: own ? t("search.reranker.own", { name: own }) : t("search.reranker.usualNone") },
        ...rerankers.filter((reranker) => !reranker.isDefault).map(({ name }) => ({ value: name, label: name })),
        ...(own ? [{ value: "none", label: t("search.reranker.none") }] : []),
      ]}
      value={state.reranker || USUAL}
      onChange={(value) => onAsk({ reranker: value && value !== USUAL ? value : "" })}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
