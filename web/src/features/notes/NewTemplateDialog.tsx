import { TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog";
import { useLanguage } from "../../messages/language";
import { useCreateTemplate } from "./queries";

const LONGEST_NAME = 200;
const NOTHING = { name: "", description: "", title: "", content: "", tags: [] as string[] };

/** Makes a template of the workspace's own. */
export function NewTemplateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage();
  const [template, setTemplate] = useState(NOTHING);
  const create = useCreateTemplate();
  const set = (part: Partial<typeof NOTHING>) => setTemplate((now) => ({ ...now, ...part }));
  return (
    <FormDialog
      onClose={onClose}
      title={t("notes.newTemplate")}
      size="lg"
      verb={t("action.create")}
      saving={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate(template, { onSuccess: onClose })}
    >
      <TextInput
        label={t("knowledge.name")}
        required
        data-autofocus
        maxLength={LONGEST_NAME}
        value={template.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label={t("notes.templateFor")}
        maxLength={2_000}
        value={template.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <TextInput
        label={t("notes.templateTitle")}
        placeholder={t("notes.titleHint")}
        maxLength={LONGEST_NAME}
        value={template.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <Textarea
        label={t("notes.source")}
        description={t("notes.variablesHint", { example: "{{topic}}" })}
        required
        autosize
        minRows={6}
        maxRows={16}
        value={template.content}
        onChange={(event) => set({ content: event.currentTarget.value })}
      />
      <TagsInput label={t("notes.tags")} acceptValueOnBlur value={template.tags} onChange={(tags) => set({ tags })} />
    </FormDialog>
  );
}
