import { Button, FileInput, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { ErrorState } from "../../components/ErrorState";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { useImportBundle } from "./queries";

/** Makes a knowledge base out of a bundle. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const navigate = useNavigate();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const bring = useImportBundle();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!file) return;
    bring.mutate(
      { file, name },
      {
        onSuccess: ({ knowledgeBase }) => {
          say(t("knowledge.imported", { name: knowledgeBase.name }));
          navigate(`/knowledge/${knowledgeBase.id}`);
        },
      },
    );
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("knowledge.importTitle")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          <FileInput
            label={t("knowledge.importFile")}
            description={t("knowledge.importHint")}
            placeholder={t("knowledge.importChoose")}
            accept=".zip,application/zip"
            required
            data-autofocus
            value={file}
            onChange={setFile}
          />
          <TextInput
            label={t("knowledge.importName")}
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {bring.error && <ErrorState error={bring.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={bring.isPending} disabled={!file}>
              {t("knowledge.import")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
