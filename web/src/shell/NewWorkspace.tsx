import { TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../components/FormDialog";
import { useCreateWorkspace } from "../features/session/queries";
import { useLanguage } from "../messages/language";

type Props = { opened: boolean; onClose: () => void; onMade: (id: string) => void };

export function NewWorkspace({ opened, onClose, onMade }: Props) {
  const { t } = useLanguage();
  const [name, setName] = useState("");
  const create = useCreateWorkspace();
  const submit = () => {
    create.mutate(name, {
      onSuccess: (workspace) => {
        setName("");
        onClose();
        onMade(workspace.id);
      },
    });
  };
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={t("workspace.createTitle")}
      verb={t("action.create")}
      saving={create.isPending}
      error={create.error}
      onSubmit={submit}
    >
      <TextInput
        label={t("workspace.name")}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
    </FormDialog>
  );
}
