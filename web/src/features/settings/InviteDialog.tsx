import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorState } from "../../components/ErrorState";
import { formatTime } from "../../components/formats";
import { SecretText } from "../../components/SecretText";
import { useLanguage } from "../../messages/language";
import { ROLES, type Role, useInvite } from "./queries";

/** A name and a role become a link to hand over. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t, language } = useLanguage();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const invite = useInvite();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ name, role });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("settings.inviteTitle")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      {invite.data ? (
        <Stack gap="xs">
          <SecretText text={invite.data.url} hint={t("settings.inviteReady")} />
          <Text size="sm" c="dimmed">
            {t("settings.inviteUntil", { time: formatTime(new Date(invite.data.expiresAt), language) })}
          </Text>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={t("settings.inviteName")}
              required
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Select
              label={t("settings.role")}
              allowDeselect={false}
              value={role}
              onChange={(value) => value && setRole(value as Role)}
              data={ROLES.map((each) => ({
                value: each,
                label: `${t(`settings.role.${each}`)} – ${t(`settings.role.${each}Hint`)}`,
              }))}
            />
            {invite.error && <ErrorState error={invite.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t("action.cancel")}
              </Button>
              <Button type="submit" loading={invite.isPending}>
                {t("settings.inviteMake")}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
