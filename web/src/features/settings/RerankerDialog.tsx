import { Group, NumberInput, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { useLanguage } from "../../messages/language";
import { KeyField } from "./KeyField";
import { ModelDialog } from "./ModelDialog";
import { type Reranker, useSaveReranker } from "./modelQueries";

type Style = Schemas["RerankStyle"];
const STYLES: Style[] = ["cohere", "jina", "tei"];
const DEFAULT_SECONDS = 2;
const DEFAULT_HITS = 50;

/** A new re-ranker, or changes to one. */
export function RerankerDialog({ reranker, onClose }: { reranker: Reranker | null; onClose: () => void }) {
  const { t } = useLanguage();
  const [name, setName] = useState(reranker?.name ?? "");
  const [style, setStyle] = useState<Style>(reranker?.style ?? "cohere");
  const [baseUrl, setBaseUrl] = useState(reranker?.baseUrl ?? "");
  const [model, setModel] = useState(reranker?.model ?? "");
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [seconds, setSeconds] = useState(reranker?.seconds ?? DEFAULT_SECONDS);
  const [hits, setHits] = useState(reranker?.hits ?? DEFAULT_HITS);
  const save = useSaveReranker(reranker?.id ?? null);
  const body = { name, style, baseUrl, model: model.trim() || null, apiKey, seconds, hits };
  return (
    <ModelDialog
      title={reranker ? t("models.editNamed", { name: reranker.name }) : t("models.addReranker")}
      isNew={!reranker}
      saving={save.isPending}
      error={save.error}
      onSave={() => save.mutate(body, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label={t("models.name")}
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label={t("models.style")}
        allowDeselect={false}
        value={style}
        onChange={(value) => setStyle(STYLES.find((known) => known === value) ?? style)}
        data={STYLES.map((value) => ({ value, label: t(`models.style.${value}`) }))}
      />
      <TextInput
        label={t("models.address")}
        description={t("models.addressRerankHint")}
        placeholder="https://api.example.com/v1"
        inputMode="url"
        required
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.currentTarget.value)}
      />
      <TextInput
        label={t("models.model")}
        description={style === "tei" ? t("models.modelTeiHint") : t("models.modelHint")}
        required={style !== "tei"}
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
      />
      <KeyField hint={reranker?.keyHint ?? null} value={apiKey} onChange={setApiKey} />
      <Group grow align="flex-end">
        <NumberInput
          label={t("models.seconds")}
          description={t("models.secondsHint")}
          min={0.1}
          max={30}
          value={seconds}
          onChange={(value) => setSeconds(typeof value === "number" ? value : DEFAULT_SECONDS)}
        />
        <NumberInput
          label={t("models.hits")}
          min={1}
          max={100}
          allowDecimal={false}
          value={hits}
          onChange={(value) => setHits(typeof value === "number" ? value : DEFAULT_HITS)}
        />
      </Group>
    </ModelDialog>
  );
}
