import { Button, Group, Select, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { useMe } from "../../api/me";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useNotify } from "../../components/notify";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { Invitations } from "./Invitations";
import { InviteDialog } from "./InviteDialog";
import { ROLES, type Role, useChangeRole, useMembers, useRemoveMember } from "./queries";

/** Where it is said why the last owner cannot leave. */
const LAST_OWNER = "last-owner";

export function MembersPage() {
  const { t } = useLanguage();
  const members = useMembers();
  const me = useMe().data;
  const administers = me?.scopes.includes("admin") ?? false;
  const [inviting, dialog] = useDisclosure();
  return (
    <Stack gap="md">
      <Group justify="flex-end">
        {administers && (
          <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={dialog.open}>
            {t("settings.invite")}
          </Button>
        )}
      </Group>
      <QueryState query={members}>
        {(list) => <MemberTable members={list} myId={me?.userId} administers={administers} />}
      </QueryState>
      {administers && <Invitations />}
      {inviting && <InviteDialog onClose={dialog.close} />}
    </Stack>
  );
}

type TableProps = { members: Schemas["MemberOut"][]; myId?: string; administers: boolean };

function MemberTable({ members, myId, administers }: TableProps) {
  const { t } = useLanguage();
  const [leaving, setLeaving] = useState<Schemas["MemberOut"] | null>(null);
  const remove = useRemoveMember();
  const mine = leaving?.userId === myId;
  const owners = members.filter(({ role }) => role === "owner");
  const isLast = (member: Schemas["MemberOut"]) => owners.length === 1 && owners[0] === member;
  return (
    <>
      <TableSheet label={t("settings.members")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("settings.name")}</Table.Th>
            <Table.Th>{t("settings.role")}</Table.Th>
            <Table.Th visibleFrom="sm">{t("settings.joined")}</Table.Th>
            <Table.Th ta="right">{t("settings.actions")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((member) => (
            <Table.Tr key={member.userId}>
              <Table.Td>
                <Text component="span" fw={500}>
                  {member.name}
                </Text>
                {member.userId === myId && (
                  <Text component="span" c="dimmed">
                    {" "}
                    ({t("settings.you")})
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                {administers ? (
                  <RoleSelect member={member} fixed={isLast(member)} />
                ) : (
                  t(`settings.role.${member.role}`)
                )}
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <TimeAgo time={member.createdAt} />
              </Table.Td>
              <Table.Td ta="right">
                {(administers || member.userId === myId) && (
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    disabled={isLast(member)}
                    aria-describedby={isLast(member) ? LAST_OWNER : undefined}
                    onClick={() => setLeaving(member)}
                  >
                    {member.userId === myId ? t("settings.leave") : t("settings.remove")}
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableSheet>
      {administers && owners.length === 1 && (
        <Text size="sm" c="dimmed" id={LAST_OWNER}>
          {t("settings.lastOwner")}
        </Text>
      )}
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={mine ? t("settings.leaveTitle") : t("settings.removeTitle", { name: leaving?.name ?? "" })}
        loss={mine ? t("settings.leaveLoss") : t("settings.removeLoss")}
        verb={mine ? t("settings.leave") : t("settings.remove")}
        onConfirm={() => remove.mutateAsync(leaving?.userId ?? "")}
      />
    </>
  );
}

function RoleSelect({ member, fixed }: { member: Schemas["MemberOut"]; fixed: boolean }) {
  const { t } = useLanguage();
  const change = useChangeRole();
  const { say, sayError } = useNotify();
  const give = (role: Role) =>
    change.mutate(
      { userId: member.userId, role },
      {
        onSuccess: () => say(t("settings.roleChanged", { name: member.name })),
        onError: sayError,
      },
    );
  return (
    <Select
      aria-label={t("settings.roleOf", { name: member.name })}
      w={{ base: 104, sm: 140 }}
      size="sm"
      allowDeselect={false}
      disabled={fixed || change.isPending}
      aria-describedby={fixed ? LAST_OWNER : undefined}
      value={member.role}
      onChange={(value) => value && value !== member.role && give(value as Role)}
      data={ROLES.map((role) => ({ value: role, label: t(`settings.role.${role}`) }))}
    />
  );
}
