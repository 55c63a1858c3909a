import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, type ReactNode, useState } from "react";
import { ErrorState } from "../../components/ErrorState";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { DeleteKnowledgeBase } from "./DeleteKnowledgeBase";
import { EmbeddingModel } from "./EmbeddingModel";
import { useKnowledgeBaseContext } from "./KnowledgeBasePage";
import { type About, AboutFields } from "./knowledgeBaseFields";
import { type KnowledgeBase, useCalibrate, useUpdateKnowledgeBase } from "./queries";

export function KnowledgeBaseSettings() {
  const { t } = useLanguage();
  const { kb, writes } = useKnowledgeBaseContext();
  const [deleting, dialog] = useDisclosure();
  return (
    <Stack gap="lg">
      {!writes && <Text c="dimmed">{t("knowledge.readOnly")}</Text>}
      <Section title={t("knowledge.about")}>
        <AboutForm key={kb.id} kb={kb} disabled={!writes} />
      </Section>
      <Section title={t("knowledge.model.title")} hint={t("knowledge.model.intro")}>
        <EmbeddingModel kb={kb} writes={writes} />
      </Section>
      {writes && (
        <Section title={t("knowledge.calibrate.title")} hint={t("knowledge.calibrate.intro")}>
          <Calibration kb={kb} />
        </Section>
      )}
      {writes && !kb.builtIn && (
        <Section title={t("knowledge.danger")} hint={t("knowledge.dangerHint")}>
          <Group>
            <Button color="red" variant="outline" onClick={dialog.open}>
              {t("knowledge.delete")}
            </Button>
          </Group>
          <DeleteKnowledgeBase kb={kb} opened={deleting} onClose={dialog.close} />
        </Section>
      )}
    </Stack>
  );
}

function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <Stack component="section" className="sheet" p="md" gap="md" aria-label={title}>
      <div>
        <Title order={2}>{title}</Title>
        {hint && (
          <Text c="dimmed" maw={640} mt={4}>
            {hint}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  );
}

function AboutForm({ kb, disabled }: { kb: KnowledgeBase; disabled: boolean }) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const { name, description, lifecycleDays } = kb;
  const [about, setAbout] = useState<About>({ name, description, lifecycleDays });
  const update = useUpdateKnowledgeBase(kb.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    update.mutate(about, { onSuccess: () => say(t("knowledge.saved")) });
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <AboutFields about={about} onChange={setAbout} disabled={disabled} />
        {update.error && <ErrorState error={update.error} />}
        {!disabled && (
          <Group>
            <Button type="submit" loading={update.isPending}>
              {t("action.save")}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function Calibration({ kb }: { kb: KnowledgeBase }) {
  const { t } = useLanguage();
  const calibrate = useCalibrate(kb.id);
  return (
    <Stack gap="sm">
      {calibrate.data && <Text role="status">{calibrate.data.explanation}</Text>}
      {calibrate.error && <ErrorState error={calibrate.error} />}
      <Group>
        <Button variant="default" loading={calibrate.isPending} onClick={() => calibrate.mutate()}>
          {t("knowledge.calibrate")}
        </Button>
      </Group>
    </Stack>
  );
}
