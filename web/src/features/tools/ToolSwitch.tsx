import { Switch } from "@mantine/core";
import { useMe } from "../../api/me";
import type { Tool } from "../../api/tools";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { useSwitchTools } from "./queries";

const OFF = "light-dark(var(--mantine-color-gray-5), var(--mantine-color-dark-3))";

type Props = { tool: Tool; labelledBy: string; describedBy?: string };

/** Whether agents may call a tool. Whoever may not change it sees where it stands. */
export function ToolSwitch({ tool, labelledBy, describedBy }: Props) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const change = useSwitchTools();
  const administers = useMe().data?.scopes.includes("admin") ?? false;
  return (
    <Switch
      aria-labelledby={labelledBy}
      aria-describedby={administers ? undefined : describedBy}
      label={
        <span aria-hidden style={{ display: "inline-block", minWidth: "1.6rem", color: "var(--mantine-color-text)" }}>
          {tool.isOn ? t("tools.on") : t("tools.off")}
        </span>
      }
      // Off, the track alone would hardly be seen on paper.
      styles={administers && !tool.isOn ? { track: { backgroundColor: OFF } } : undefined}
      checked={tool.isOn}
      disabled={!administers}
      onChange={(event) => change.mutate({ [tool.name]: event.currentTarget.checked }, { onError: sayError })}
    />
  );
}
