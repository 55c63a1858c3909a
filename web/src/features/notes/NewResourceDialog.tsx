import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ErrorState } from "../../components/ErrorState";
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
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // A dialog is drawn elsewhere, but its events still rise through whatever opened it.
    event.stopPropagation();
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
    <Modal
      opened
      onClose={onClose}
      title={t("notes.newResourceTitle")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
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
