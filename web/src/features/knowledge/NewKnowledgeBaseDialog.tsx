import { Button, Group, Modal, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { ErrorState } from "../../components/ErrorState";
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Left out, the built-in model is taken where it is installed, and keywords where it is not.
    const body = { ...about, embedder: embedder === BUILT_IN ? null : embedder };
    create.mutate(body, { onSuccess: (kb) => navigate(`/knowledge/${kb.id}`) });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("knowledge.newTitle")}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack>
          <AboutFields about={about} onChange={setAbout} focus />
          <EmbedderSelect
            label={t("knowledge.embedder")}
            hint={t("knowledge.embedder.hint")}
            value={embedder}
            onChange={setEmbedder}
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
