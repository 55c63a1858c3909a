import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconLock, IconPlugConnected, IconSearch, IconTool } from "@tabler/icons-react";
import { Link, useSearchParams } from "react-router";
import { useMe } from "../../api/me";
import { type Tool, useTools } from "../../api/tools";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { isMeant } from "./effects";
import { type Toolset, useToolsets } from "./queries";
import { ToolsetSheet } from "./ToolsetSheet";

const REASON = "why-not-switched";

export function ToolsPage() {
  const { t } = useLanguage();
  const toolsets = useToolsets();
  const tools = useTools();
  return (
    <>
      <PageHeader
        title={t("tools.title")}
        description={t("tools.intro")}
        actions={
          <Button
            component={Link}
            to="/connect"
            variant="default"
            leftSection={<IconPlugConnected size={18} stroke={1.5} aria-hidden />}
          >
            {t("nav.connect")}
          </Button>
        }
      />
      <QueryState query={tools} rows={8}>
        {(all) => (
          <QueryState query={toolsets} rows={8}>
            {(sets) => <Toolsets sets={sets} tools={all} />}
          </QueryState>
        )}
      </QueryState>
    </>
  );
}

function Toolsets({ sets, tools }: { sets: Toolset[]; tools: Tool[] }) {
  const { t } = useLanguage();
  const administers = useMe().data?.scopes.includes("admin") ?? false;
  const [parameters, setParameters] = useSearchParams();
  const text = parameters.get("q") ?? "";
  const find = (q: string) => setParameters(q ? { q } : {}, { replace: true });
  const shown = tools.filter((tool) => isMeant(tool, text));
  if (tools.length === 0) return <EmptyState icon={IconTool} title={t("tools.none")} hint={t("tools.noneHint")} />;
  return (
    <Stack gap="xl">
      <Group justify="space-between" gap="sm">
        <TextInput
          type="search"
          aria-label={t("tools.filter")}
          placeholder={t("tools.filter")}
          leftSection={<IconSearch size={18} stroke={1.5} aria-hidden />}
          w={{ base: "100%", xs: 300 }}
          value={text}
          onChange={(event) => find(event.currentTarget.value)}
        />
        {!administers && (
          <Group gap={6} wrap="nowrap" c="dimmed">
            <IconLock size={18} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
            <Text id={REASON}>{t("tools.ownersOnly")}</Text>
          </Group>
        )}
      </Group>
      {shown.length === 0 && (
        <EmptyState
          icon={IconSearch}
          title={t("tools.noneFound", { text })}
          hint={t("tools.noneFoundHint")}
          action={<Button onClick={() => find("")}>{t("tools.showAll")}</Button>}
        />
      )}
      {sets.map((toolset) => {
        const own = tools.filter((tool) => tool.toolset === toolset.id);
        const found = own.filter((tool) => shown.includes(tool));
        if (found.length === 0) return null;
        return (
          <ToolsetSheet
            key={toolset.id}
            toolset={toolset}
            tools={own}
            shown={found}
            administers={administers}
            reasonId={REASON}
          />
        );
      })}
    </Stack>
  );
}
