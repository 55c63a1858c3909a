import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Schemas } from "../../api/client";
import { useMe } from "../../api/me";
import { ErrorState } from "../../components/ErrorState";
import { useNotify } from "../../components/notify";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { useRenameWorkspace } from "./queries";

export function WorkspacePage() {
  const me = useMe();
  return <QueryState query={me}>{(who) => <NameForm me={who} />}</QueryState>;
}

function NameForm({ me }: { me: Schemas["MeOut"] }) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const [name, setName] = useState(me.workspaceName);
  const rename = useRenameWorkspace();
  const administers = me.scopes.includes("admin");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate({ workspaceId: me.workspaceId, name }, { onSuccess: () => say(t("settings.saved")) });
  };
  return (
    <form onSubmit={submit}>
      <Stack className="sheet" p="lg" maw={520}>
        <TextInput
          label={t("settings.workspaceName")}
          description={administers ? undefined : t("settings.ownersOnly")}
          disabled={!administers}
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {rename.error && <ErrorState error={rename.error} />}
        {administers && (
          <Group justify="flex-end">
            <Button type="submit" loading={rename.isPending} disabled={!name.trim() || name === me.workspaceName}>
              {t("action.save")}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
