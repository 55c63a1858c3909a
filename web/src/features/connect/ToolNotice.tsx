import { Alert, Code, Group, Stack, Text } from "@mantine/core";
import { IconToggleLeft } from "@tabler/icons-react";
import { useTools } from "../../api/tools";
import { ErrorState } from "../../components/ErrorState";
import { useLanguage } from "../../messages/language";
import { AwayLink } from "./AwayLink";
import type { Scope } from "./queries";

const MOST_SHOWN = 12;

/** Which of the tools that a key with these rights could call are off. */
export function ToolNotice({ scopes, beside }: { scopes: Scope[]; beside: boolean }) {
  const { t } = useLanguage();
  const tools = useTools();
  if (tools.error && !tools.data) return <ErrorState error={tools.error} onRetry={() => tools.refetch()} />;
  if (!tools.data) return null;
  const within = tools.data.filter((tool) => scopes.includes(tool.scope));
  const off = within.filter((tool) => !tool.isOn);
  if (off.length === 0) return <Text c="dimmed">{t("connect.allOn", { count: within.length })}</Text>;
  return (
    <Alert variant="default" icon={<IconToggleLeft aria-hidden />}>
      <Stack gap="sm" align="flex-start">
        <Text>
          {off.length === within.length ? t("connect.noTools") : t("connect.toolsOff", { count: off.length })}
        </Text>
        <Group gap={6}>
          {off.slice(0, MOST_SHOWN).map((tool) => (
            <Code key={tool.name} style={{ overflowWrap: "anywhere" }}>
              {tool.name}
            </Code>
          ))}
          {off.length > MOST_SHOWN && <Text span>{t("connect.andMore", { count: off.length - MOST_SHOWN })}</Text>}
        </Group>
        <Text c="dimmed">{t("connect.writingOff")}</Text>
        <AwayLink to="/tools" beside={beside}>
          {t("connect.switchOn")}
        </AwayLink>
      </Stack>
    </Alert>
  );
}
