import { Group, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLanguage } from "../../messages/language";
import { KeyField } from "./KeyField";
import { ModelDialog } from "./ModelDialog";
import { type Embedder, useSaveEmbedder } from "./modelQueries";

const DEFAULT_TOKENS = 400;

/** A new embedding model, or changes to one. */
export function EmbedderDialog({ embedder, onClose }: { embedder: Embedder | null; onClose: () => void }) {
  const { t } = useLanguage();
  const [name, setName] = useState(embedder?.name ?? "");
  const [baseUrl, setBaseUrl] = useState(embedder?.baseUrl ?? "");
  const [model, setModel] = useState(embedder?.model ?? "");
  const [apiKey, setApiKey] = useState<string | null>(null);
  // Left as they were found unless somebody says otherwise: given ones are asked for with every call.
  const [dims, setDims] = useState<number | null>(null);
  const [maxTokens, setMaxTokens] = useState(embedder?.maxTokens ?? DEFAULT_TOKENS);
  const save = useSaveEmbedder(embedder?.id ?? null);
  return (
    <ModelDialog
      title={embedder ? t("models.editNamed", { name: embedder.name }) : t("models.addEmbedder")}
      isNew={!embedder}
      saving={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ name, baseUrl, model, apiKey, dims, maxTokens }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label={t("models.name")}
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t("models.address")}
        description={t("models.addressHint")}
        placeholder="https://api.example.com/v1"
        inputMode="url"
        required
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.currentTarget.value)}
      />
      <TextInput
        label={t("models.model")}
        description={t("models.modelHint")}
        required
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
      />
      <KeyField hint={embedder?.keyHint ?? null} value={apiKey} onChange={setApiKey} />
      <Group grow align="flex-end">
        <NumberInput
          label={t("models.dims")}
          description={t("models.dimsHint")}
          placeholder={embedder ? String(embedder.dims) : undefined}
          min={1}
          max={4000}
          allowDecimal={false}
          value={dims ?? ""}
          onChange={(value) => setDims(typeof value === "number" ? value : null)}
        />
        <NumberInput
          label={t("models.tokens")}
          description={t("models.tokensHint")}
          min={64}
          max={8000}
          allowDecimal={false}
          value={maxTokens}
          onChange={(value) => setMaxTokens(typeof value === "number" ? value : DEFAULT_TOKENS)}
        />
      </Group>
    </ModelDialog>
  );
}
