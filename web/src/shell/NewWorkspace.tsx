import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorState } from "../components/ErrorState";
import { useCreateWorkspace } from "../features/session/queries";
import { useLanguage } from "../messages/language";

type Props = { opened: boolean; onClose: () => void; onMade: (id: string) => void };

export function NewWorkspace({ opened, onClose, onMade }: Props) {
  const { t } = useLanguage();
  const [name, setName] = useState("");
  const create = useCreateWorkspace();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(name, {
      onSuccess: (workspace) => {
        setName("");
        onClose();
        onMade(workspace.id);
      },
    });
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("workspace.createTitle")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t("workspace.name")}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            data-autofocus
          />
          {create.error && <ErrorState error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t("action.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
