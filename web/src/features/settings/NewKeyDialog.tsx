import { Button, Checkbox, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useMe } from "../../api/me";
import { ErrorState } from "../../components/ErrorState";
import { SecretText } from "../../components/SecretText";
import { useLanguage } from "../../messages/language";
import { type Scope, useCreateKey } from "./queries";

const SCOPES: Scope[] = ["read", "write", "admin"];
const DAYS = [7, 30, 90, 365];
const DAY = 86_400_000;

/** A purpose, scopes and an end become a key, which is shown this once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage();
  const mine = useMe().data?.scopes ?? [];
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(["read"]);
  const [days, setDays] = useState("90");
  const create = useCreateKey();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expiresAt = days === "never" ? null : new Date(Date.now() + Number(days) * DAY).toISOString();
    create.mutate({ name, scopes: SCOPES.filter((scope) => scopes.includes(scope)), expiresAt });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("settings.keyNewTitle")}
      closeOnClickOutside={!create.data}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      {create.data ? (
        <SecretText text={create.data.key} hint={t("settings.keyReady")} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={t("settings.keyName")}
              required
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Checkbox.Group label={t("settings.scopes")} value={scopes} onChange={setScopes}>
              <Group mt="xs">
                {SCOPES.map((scope) => (
                  <Checkbox
                    key={scope}
                    value={scope}
                    label={t(`settings.scope.${scope}`)}
                    disabled={!mine.includes(scope)}
                  />
                ))}
              </Group>
            </Checkbox.Group>
            <Select
              label={t("settings.keyExpiry")}
              allowDeselect={false}
              value={days}
              onChange={(value) => value && setDays(value)}
              data={[
                ...DAYS.map((count) => ({ value: String(count), label: t("settings.keyExpiry.days", { count }) })),
                { value: "never", label: t("settings.keyExpiry.never") },
              ]}
            />
            {create.error && <ErrorState error={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t("action.cancel")}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={scopes.length === 0}>
                {t("action.create")}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
