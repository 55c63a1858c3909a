import { Button, Stack, Table, Title } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { ErrorState } from "../../components/ErrorState";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { useInvitations, useWithdrawInvitation } from "./queries";

/** Invitations nobody has used yet; nothing at all where there are none. */
export function Invitations() {
  const { t } = useLanguage();
  const invitations = useInvitations(true);
  const withdraw = useWithdrawInvitation();
  const [chosen, setChosen] = useState<Schemas["InvitationOut"] | null>(null);
  if (invitations.error) return <ErrorState error={invitations.error} onRetry={() => invitations.refetch()} />;
  if (!invitations.data?.length) return null;
  return (
    <Stack gap="sm" mt="md">
      <Title order={2}>{t("settings.invitations")}</Title>
      <TableSheet label={t("settings.invitations")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("settings.name")}</Table.Th>
            <Table.Th visibleFrom="sm">{t("settings.role")}</Table.Th>
            <Table.Th>{t("settings.invitationExpires")}</Table.Th>
            <Table.Th ta="right">{t("settings.actions")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invitations.data.map((invitation) => (
            <Table.Tr key={invitation.id}>
              <Table.Td fw={500}>{invitation.name}</Table.Td>
              <Table.Td visibleFrom="sm">{t(`settings.role.${invitation.role}`)}</Table.Td>
              <Table.Td>
                <TimeAgo time={invitation.expiresAt} />
              </Table.Td>
              <Table.Td ta="right">
                <Button variant="subtle" color="red" size="compact-sm" onClick={() => setChosen(invitation)}>
                  {t("settings.withdraw")}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableSheet>
      <ConfirmDialog
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title={t("settings.withdrawTitle", { name: chosen?.name ?? "" })}
        loss={t("settings.withdrawLoss")}
        verb={t("settings.withdraw")}
        onConfirm={() => withdraw.mutateAsync(chosen?.id ?? "")}
      />
    </Stack>
  );
}
