import { Badge, Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { EmptyState } from "../../components/EmptyState";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { NewKeyDialog } from "./NewKeyDialog";
import { useKeys, useRevokeKey } from "./queries";

export function KeysPage() {
  const { t } = useLanguage();
  const keys = useKeys();
  const [making, dialog] = useDisclosure();
  const button = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={dialog.open}>
      {t("settings.keyNew")}
    </Button>
  );
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={560}>
          {t("settings.keysIntro")}
        </Text>
        {button}
      </Group>
      <QueryState query={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={IconKey} title={t("settings.keysEmpty")} hint={t("settings.keysEmptyHint")} />
          ) : (
            <KeyTable keys={list} />
          )
        }
      </QueryState>
      {making && <NewKeyDialog onClose={dialog.close} />}
    </Stack>
  );
}

function KeyTable({ keys }: { keys: Schemas["ApiKeyOut"][] }) {
  const { t } = useLanguage();
  const revoke = useRevokeKey();
  const [chosen, setChosen] = useState<Schemas["ApiKeyOut"] | null>(null);
  return (
    <>
      <TableSheet label={t("settings.keys")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("settings.name")}</Table.Th>
            <Table.Th>{t("settings.scopes")}</Table.Th>
            <Table.Th visibleFrom="sm">{t("settings.keyUsed")}</Table.Th>
            <Table.Th visibleFrom="sm">{t("settings.keyExpires")}</Table.Th>
            <Table.Th ta="right">{t("settings.actions")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id}>
              <Table.Td>
                <Text fw={500}>{key.name}</Text>
                <Code>…{key.hint}</Code>
              </Table.Td>
              <Table.Td>{key.scopes.map((scope) => t(`settings.scope.${scope}`)).join(", ")}</Table.Td>
              <Table.Td visibleFrom="sm">
                <TimeAgo time={key.lastUsedAt} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <TimeAgo time={key.expiresAt} />
              </Table.Td>
              <Table.Td ta="right">
                <KeyEnd apiKey={key} onRevoke={() => setChosen(key)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableSheet>
      <ConfirmDialog
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title={t("settings.revokeTitle", { name: chosen?.name ?? "" })}
        loss={t("settings.revokeLoss")}
        verb={t("settings.revoke")}
        onConfirm={() => revoke.mutateAsync(chosen?.id ?? "")}
      />
    </>
  );
}

/** How a key ended, or a way to end it. */
function KeyEnd({ apiKey, onRevoke }: { apiKey: Schemas["ApiKeyOut"]; onRevoke: () => void }) {
  const { t } = useLanguage();
  const expired = apiKey.expiresAt !== null && new Date(apiKey.expiresAt) <= new Date();
  if (apiKey.revokedAt || expired) {
    return (
      <Badge variant="default" tt="none" fw={500}>
        {apiKey.revokedAt ? t("settings.keyRevoked") : t("settings.keyExpired")}
      </Badge>
    );
  }
  return (
    <Button variant="subtle" color="red" size="compact-sm" onClick={onRevoke}>
      {t("settings.revoke")}
    </Button>
  );
}
