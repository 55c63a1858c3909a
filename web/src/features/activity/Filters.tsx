import { Autocomplete, Group, Select } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTools } from "../../api/tools";
import { useLanguage } from "../../messages/language";
import { asResult, type Filter, RESULTS } from "./calls";
import { useKeyNames } from "./queries";

type Props = { filter: Filter; onChange: (changes: Filter) => void };

export function Filters({ filter, onChange }: Props) {
  const { t } = useLanguage();
  const tools = useTools().data ?? [];
  const names = new Set(tools.map(({ name }) => name));
  // A tool that is no more may still have calls.
  if (filter.tool) names.add(filter.tool);
  return (
    <Group gap="sm" mb="md">
      <Select
        aria-label={t("activity.tool")}
        placeholder={t("activity.allTools")}
        clearable
        searchable
        clearButtonProps={{ "aria-label": t("activity.allTools") }}
        nothingFoundMessage={t("activity.noSuchTool")}
        w={{ base: "100%", xs: 240 }}
        value={filter.tool ?? null}
        onChange={(tool) => onChange({ tool: tool ?? undefined })}
        data={[...names]}
      />
      <AgentFilter agent={filter.agent ?? ""} onChange={onChange} />
      <Select
        aria-label={t("activity.result")}
        placeholder={t("activity.allResults")}
        clearable
        clearButtonProps={{ "aria-label": t("activity.allResults") }}
        w={{ base: "100%", xs: 200 }}
        value={filter.result ?? null}
        onChange={(result) => onChange({ result: asResult(result) })}
        data={RESULTS.map((result) => ({ value: result, label: t(`activity.result.${result}`) }))}
      />
    </Group>
  );
}

/** Any name can be typed, for agents name themselves; the keys there are can be chosen. */
function AgentFilter({ agent, onChange }: { agent: string; onChange: Props["onChange"] }) {
  const { t } = useLanguage();
  const names = useKeyNames().data ?? [];
  const [text, setText] = useState(agent);
  // Chosen elsewhere: in a row of the list, or by going back.
  useEffect(() => setText(agent), [agent]);
  const apply = (name: string) => {
    if (name.trim() !== agent) onChange({ agent: name.trim() || undefined });
  };
  return (
    <Autocomplete
      aria-label={t("activity.agent")}
      placeholder={t("activity.allAgents")}
      clearable
      clearButtonProps={{ "aria-label": t("activity.clearAgent") }}
      w={{ base: "100%", xs: 220 }}
      limit={20}
      value={text}
      onChange={setText}
      onOptionSubmit={apply}
      onClear={() => apply("")}
      onBlur={() => apply(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply(text);
      }}
      data={names}
    />
  );
}
