import { Anchor, Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { IconActivity, IconChevronLeft, IconTool } from "@tabler/icons-react";
import { Link, useParams } from "react-router";
import { useMe } from "../../api/me";
import { type Tool, useTools } from "../../api/tools";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { AnswerSheet } from "./AnswerSheet";
import { Effects } from "./Effects";
import { useCallTool } from "./queries";
import { ToolSwitch } from "./ToolSwitch";
import { TryForm } from "./TryForm";

const LABEL = "for-agents";
const REASON = "why-not-switched";

export function ToolPage() {
  const { t } = useLanguage();
  const { toolName } = useParams();
  const tools = useTools();
  return (
    <>
      <Anchor component={Link} to="/tools" size="sm" display="inline-flex" mb={4} style={{ alignItems: "center" }}>
        <IconChevronLeft size={16} aria-hidden />
        {t("tools.back")}
      </Anchor>
      <QueryState query={tools} rows={8}>
        {(all) => {
          const tool = all.find(({ name }) => name === toolName);
          if (tool) return <Trying key={tool.name} tool={tool} />;
          return <EmptyState icon={IconTool} title={t("tools.gone")} hint={t("tools.goneHint")} />;
        }}
      </QueryState>
    </>
  );
}

function Trying({ tool }: { tool: Tool }) {
  const { t } = useLanguage();
  const call = useCallTool(tool);
  return (
    <>
      <PageHeader
        title={tool.title}
        description={
          <Group gap="xs" component="span">
            <Code>{tool.name}</Code>
            <Effects tool={tool} />
          </Group>
        }
        actions={
          <Button
            component={Link}
            to={`/activity?tool=${encodeURIComponent(tool.name)}`}
            variant="default"
            leftSection={<IconActivity size={18} stroke={1.5} aria-hidden />}
          >
            {t("tools.calls")}
          </Button>
        }
      />
      <Stack gap="lg">
        <About tool={tool} />
        <div className="document-columns">
          <TryForm tool={tool} busy={call.isPending} onRun={call.mutateAsync} />
          <AnswerSheet answer={call.data} error={call.error} busy={call.isPending} />
        </div>
      </Stack>
    </>
  );
}

/** What a model is told of it, and whether any may call it. */
function About({ tool }: { tool: Tool }) {
  const { t } = useLanguage();
  const administers = useMe().data?.scopes.includes("admin") ?? false;
  return (
    <section className="sheet" style={{ padding: "var(--mantine-spacing-md)" }}>
      <Group align="flex-start" justify="space-between" gap="lg">
        <Stack gap={4} flex={1} miw={240} maw="44rem">
          <Title order={2} size="h3">
            {t("tools.forModels")}
          </Title>
          <Text lang="en">{tool.description}</Text>
        </Stack>
        <Stack gap={4} miw={200}>
          <Title order={2} size="h3" id={LABEL}>
            {t("tools.forAgents")}
          </Title>
          <ToolSwitch tool={tool} labelledBy={LABEL} describedBy={REASON} />
          <Text size="sm" c="dimmed" id={REASON} maw={240}>
            {administers ? t("tools.forAgentsHint") : t("tools.ownersOnly")}
          </Text>
        </Stack>
      </Group>
    </section>
  );
}
