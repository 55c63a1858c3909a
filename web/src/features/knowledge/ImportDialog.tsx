import { FileInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { FormDialog } from "../../components/FormDialog";
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
  const submit = () => {
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
    <FormDialog
      onClose={onClose}
      title={t("knowledge.importTitle")}
      verb={t("knowledge.import")}
      ready={file !== null}
      saving={bring.isPending}
      error={bring.error}
      onSubmit={submit}
    >
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
    </FormDialog>
  );
}
