import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { FormDialog } from "../../components/FormDialog";
import { useLanguage } from "../../messages/language";

type Props = {
  title: string;
  saving: boolean;
  error: unknown;
  isNew: boolean;
  onSave: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** The frame of a model's form; saving may take a while, for the model is called. */
export function ModelDialog({ title, saving, error, isNew, onSave, onClose, children }: Props) {
  const { t } = useLanguage();
  const verb = isNew ? t("models.add") : t("action.save");
  return (
    <FormDialog onClose={onClose} title={title} verb={verb} saving={saving} error={error} onSubmit={onSave}>
      {children}
      <Text size="sm" c="dimmed">
        {t("models.check")}
      </Text>
    </FormDialog>
  );
}
