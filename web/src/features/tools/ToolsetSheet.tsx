import { Anchor, Button, Group, Menu, Stack, Text, Title } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { Link } from "react-router";
import type { Tool } from "../../api/tools";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { Effects } from "./Effects";
import { type Toolset, useSwitchTools } from "./queries";
import { ToolSwitch } from "./ToolSwitch";

type Props = { toolset: Toolset; tools: Tool[]; shown: Tool[]; administers: boolean; reasonId: string };

/** A toolset: its tools with their switches, and one act for all of them. */
export function ToolsetSheet({ toolset, tools, shown, administers, reasonId }: Props) {
  const { t } = useLanguage();
  const titleId = `toolset-${toolset.id}`;
  return (
    <section aria-labelledby={titleId}>
      <Group justify="space-between" align="flex-end" gap="sm" mb="sm">
        <Stack gap={2} flex={1} miw={220}>
          <Title order={2} id={titleId}>
            {toolset.name}
          </Title>
          <Text c="dimmed" size="sm">
            <span lang="en">{toolset.description}</span>
            {" · "}
            {t("tools.onOf", { on: tools.filter(({ isOn }) => isOn).length, count: tools.length })}
          </Text>
        </Stack>
        {administers && <SwitchAll name={toolset.name} tools={tools} />}
      </Group>
      <Stack component="ul" className="sheet" gap={0} m={0} p={0} aria-labelledby={titleId}>
        {shown.map((tool, place) => (
          <li
            key={tool.name}
            style={{
              listStyle: "none",
              padding: "var(--mantine-spacing-md)",
              borderTop: place ? "1px solid var(--mantine-color-default-border)" : undefined,
            }}
          >
            <ToolRow tool={tool} reasonId={reasonId} />
          </li>
        ))}
      </Stack>
    </section>
  );
}

function ToolRow({ tool, reasonId }: { tool: Tool; reasonId: string }) {
  const { t } = useLanguage();
  const titleId = `tool-${tool.name}`;
  return (
    <Group align="flex-start" justify="space-between" gap="md" wrap="nowrap">
      <Stack gap={6} flex={1} miw={0}>
        <Group gap="xs">
          <Title order={3} id={titleId} lang="en">
            <Anchor component={Link} to={`/tools/${tool.name}`} inherit c="var(--mantine-color-text)">
              {tool.title}
            </Anchor>
          </Title>
          <Text span size="sm" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {tool.name}
          </Text>
        </Group>
        <Text size="sm" lineClamp={2} lang="en">
          {tool.description}
        </Text>
        <Group gap="xs">
          <Effects tool={tool} />
          {tool.onByDefault && (
            <Text span size="sm" c="dimmed">
              {t("tools.fromTheStart")}
            </Text>
          )}
        </Group>
      </Stack>
      <Stack gap="xs" align="flex-end">
        <ToolSwitch tool={tool} labelledBy={titleId} describedBy={reasonId} />
        <Button
          component={Link}
          to={`/tools/${tool.name}`}
          variant="subtle"
          size="compact-sm"
          aria-label={t("tools.tryNamed", { name: tool.title })}
        >
          {t("tools.try")}
        </Button>
      </Stack>
    </Group>
  );
}

function SwitchAll({ name, tools }: { name: string; tools: Tool[] }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const change = useSwitchTools();
  const go = (isOn: (tool: Tool) => boolean, said: string) => {
    const moved = tools.filter((tool) => tool.isOn !== isOn(tool));
    if (moved.length === 0) return say(said);
    change.mutate(Object.fromEntries(moved.map((tool) => [tool.name, isOn(tool)])), {
      onSuccess: () => say(said),
      onError: sayError,
    });
  };
  const count = tools.length;
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          variant="default"
          loading={change.isPending}
          rightSection={<IconChevronDown size={16} stroke={1.5} aria-hidden />}
          aria-label={t("tools.switchSetNamed", { name })}
        >
          {t("tools.switchSet")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => go(() => true, t("tools.switchedOn", { count }))}>{t("tools.allOn")}</Menu.Item>
        <Menu.Item onClick={() => go((tool) => tool.onByDefault, t("tools.switchedBack"))}>
          {t("tools.readingOn")}
        </Menu.Item>
        <Menu.Item onClick={() => go(() => false, t("tools.switchedOff", { count }))}>{t("tools.allOff")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
