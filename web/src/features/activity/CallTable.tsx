import { Code, Group, Stack, Table, Text, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconBan, IconCheck, IconPencilExclamation, IconRobot, IconUser } from "@tabler/icons-react";
import { TableSheet } from "../../components/TableSheet";
import { formatMilliseconds, formatMoment, formatTime } from "../../components/formats";
import { useLanguage } from "../../messages/language";
import type { Call, Filter } from "./calls";

type Props = { calls: Call[]; onFilter: (changes: Filter) => void };

const PICTURES = { success: IconCheck, error: IconPencilExclamation, refused: IconBan, fault: IconAlertTriangle };
const INTERFACES = ["rest", "mcp", "python"] as const;

export function CallTable({ calls, onFilter }: Props) {
  const { t } = useLanguage();
  return (
    <TableSheet label={t("activity.calls")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("activity.time")}</Table.Th>
          <Table.Th>{t("activity.tool")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("activity.agent")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("activity.interface")}</Table.Th>
          <Table.Th visibleFrom="sm" ta="right">
            {t("activity.duration")}
          </Table.Th>
          <Table.Th visibleFrom="sm">{t("activity.result")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {calls.map((call) => (
          <CallRow key={call.id} call={call} onFilter={onFilter} />
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}

function CallRow({ call, onFilter }: { call: Call; onFilter: Props["onFilter"] }) {
  const { t, language } = useLanguage();
  const moment = new Date(call.calledAt);
  const agent = <Agent call={call} onFilter={onFilter} />;
  const duration = formatMilliseconds(call.durationMs, language);
  return (
    <Table.Tr style={{ verticalAlign: "top" }}>
      <Table.Td>
        <time dateTime={call.calledAt} title={formatTime(moment, language)} style={{ whiteSpace: "nowrap" }}>
          {formatMoment(moment, new Date(), language)}
        </time>
      </Table.Td>
      <Table.Td>
        <FilterButton name={t("activity.onlyTool", { name: call.tool })} onClick={() => onFilter({ tool: call.tool })}>
          <Text span ff="monospace" size="sm" className="call-code">
            {call.tool}
          </Text>
        </FilterButton>
        <Stack hiddenFrom="sm" gap={2} mt={2}>
          {agent}
          <Text size="sm" c="dimmed">
            {interfaceName(call.interface, t)}, {duration}
          </Text>
          <Outcome call={call} />
        </Stack>
      </Table.Td>
      <Table.Td visibleFrom="sm">{agent}</Table.Td>
      <Table.Td visibleFrom="sm">{interfaceName(call.interface, t)}</Table.Td>
      <Table.Td visibleFrom="sm" ta="right" style={{ whiteSpace: "nowrap" }}>
        {duration}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Outcome call={call} />
      </Table.Td>
    </Table.Tr>
  );
}

function interfaceName(name: string, t: ReturnType<typeof useLanguage>["t"]): string {
  const known = INTERFACES.find((one) => one === name);
  return known ? t(`activity.interface.${known}`) : name;
}

function Agent({ call, onFilter }: { call: Call; onFilter: Props["onFilter"] }) {
  const { t } = useLanguage();
  const agent = call.agentName ?? call.keyName ?? call.keyId;
  if (!agent) {
    return (
      <Group gap={6} wrap="nowrap">
        <IconUser size={16} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
        <Text span size="sm" style={{ overflowWrap: "anywhere" }}>
          {call.userName ?? t("activity.noName")}{" "}
          <Text span c="dimmed">
            ({t("activity.person")})
          </Text>
        </Text>
      </Group>
    );
  }
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <IconRobot size={16} stroke={1.5} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
      <Stack gap={0} align="flex-start">
        <FilterButton name={t("activity.onlyAgent", { name: agent })} onClick={() => onFilter({ agent })}>
          {agent}
        </FilterButton>
        {call.agentName && call.keyName && call.agentName !== call.keyName && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {t("activity.withKey", { name: call.keyName })}
          </Text>
        )}
      </Stack>
    </Group>
  );
}

/** Words that filter by themselves. */
function FilterButton({ name, onClick, children }: { name: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <UnstyledButton fz="inherit" aria-label={name} onClick={onClick} className="filter-word">
      {children}
    </UnstyledButton>
  );
}

function Outcome({ call }: { call: Call }) {
  const { t } = useLanguage();
  const Picture = PICTURES[call.result];
  const colour = call.result === "success" ? undefined : "var(--mantine-color-error)";
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={6} wrap="nowrap" c={colour}>
        <Picture size={16} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
        <Text span size="sm" className="call-code">
          {t(`activity.result.${call.result}`)}
        </Text>
      </Group>
      {call.errorCode && <Code className="call-code">{call.errorCode}</Code>}
    </Stack>
  );
}
