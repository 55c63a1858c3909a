import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog";
import { useLanguage } from "../../messages/language";
import { useCreateResource } from "./queries";

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 2_000;

/** Makes a knowledge base for notes without leaving the one that is being written. */
export function NewResourceDialog({ onClose, onMade }: { onClose: () => void; onMade: (slug: string) => void }) {
  const { t } = useLanguage();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const create = useCreateResource();
  const submit = () => {
    create.mutate(
      { name, description },
      {
        onSuccess: ({ slug }) => {
          onMade(slug);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t("notes.newResourceTitle")}
      verb={t("action.create")}
      saving={create.isPending}
      error={create.error}
      onSubmit={submit}
    >
      <TextInput
        label={t("knowledge.name")}
        required
        data-autofocus
        maxLength={LONGEST_NAME}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Textarea
        label={t("knowledge.description")}
        description={t("knowledge.descriptionHint")}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={LONGEST_DESCRIPTION}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
