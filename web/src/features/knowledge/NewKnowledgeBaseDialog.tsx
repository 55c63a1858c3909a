import { useState } from "react";
import { useNavigate } from "react-router";
import { FormDialog } from "../../components/FormDialog";
import { useLanguage } from "../../messages/language";
import { type About, AboutFields, EmbedderSelect } from "./knowledgeBaseFields";
import { BUILT_IN, useCreateKnowledgeBase } from "./queries";

/** Makes a knowledge base and leads to it, where documents can be added. */
export function NewKnowledgeBaseDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  const [about, setAbout] = useState<About>({ name: "", description: "", lifecycleDays: 0 });
  const [embedder, setEmbedder] = useState<string>(BUILT_IN);
  const create = useCreateKnowledgeBase();
  const submit = () => {
    // Left out, the built-in model is taken where it is installed, and keywords where it is not.
    const body = { ...about, embedder: embedder === BUILT_IN ? null : embedder };
    create.mutate(body, { onSuccess: (kb) => navigate(`/knowledge/${kb.id}`) });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t("knowledge.newTitle")}
      verb={t("action.create")}
      saving={create.isPending}
      error={create.error}
      onSubmit={submit}
    >
      <AboutFields about={about} onChange={setAbout} focus />
      <EmbedderSelect
        label={t("knowledge.embedder")}
        hint={t("knowledge.embedder.hint")}
        value={embedder}
        onChange={setEmbedder}
      />
    </FormDialog>
  );
}
