import { Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { FormDialog } from "../../components/FormDialog";
import { useLanguage } from "../../messages/language";
import { fillTemplate, today } from "./drafts";
import { NEW_NOTE } from "./places";
import type { Template } from "./queries";

const DATE = "date";

/** `next_steps` as people write it. */
const spoken = (variable: string) => variable.charAt(0).toUpperCase() + variable.slice(1).replaceAll("_", " ");

/** A template's variables as a form; what they make is handed to the editor, where the note is looked at and saved. */
export function FillTemplateDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  const [values, setValues] = useState<Record<string, string>>({ [DATE]: today() });
  const set = (name: string, value: string) => setValues((now) => ({ ...now, [name]: value }));
  const first = template.variables.find((name) => name !== DATE);
  return (
    <FormDialog
      onClose={onClose}
      title={template.name}
      size="lg"
      verb={t("notes.goOn")}
      onSubmit={() => void navigate(NEW_NOTE, { state: { draft: fillTemplate(template, values) } })}
    >
      <Text c="dimmed">{t("notes.fillHint")}</Text>
      {template.variables.map((name) =>
        name === DATE ? (
          <TextInput
            key={name}
            type="date"
            w={200}
            label={t("notes.date")}
            value={values[name] ?? ""}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ) : (
          <Textarea
            key={name}
            label={spoken(name)}
            autosize
            minRows={1}
            maxRows={6}
            data-autofocus={name === first || undefined}
            value={values[name] ?? ""}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ),
      )}
    </FormDialog>
  );
}
