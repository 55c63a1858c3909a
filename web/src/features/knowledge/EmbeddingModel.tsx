import { Badge, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { ErrorState } from "../../components/ErrorState";
import { useNotify } from "../../components/notify";
import { QueryState } from "../../components/QueryState";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { EmbedderSelect, useModelName } from "./knowledgeBaseFields";
import {
  BUILT_IN,
  type Generation,
  type KnowledgeBase,
  useCancelSwitch,
  useDropGeneration,
  useFailedSwitch,
  useGenerations,
  useOperation,
  useSwitchModel,
} from "./queries";

type Props = { kb: KnowledgeBase; writes: boolean };

/** Which model answers, which is on its way, which ones can be gone back to. */
export function EmbeddingModel({ kb, writes }: Props) {
  const generations = useGenerations(kb.id);
  return (
    <QueryState query={generations} rows={2}>
      {(list) => {
        const building = list.find(({ state }) => state === "building");
        return (
          <Stack gap="md">
            {building && <Building generation={building} writes={writes} />}
            <GenerationList kb={kb} list={list.filter((one) => one !== building)} writes={writes && !building} />
            {writes && !building && <SwitchForm kb={kb} />}
          </Stack>
        );
      }}
    </QueryState>
  );
}

function Building({ generation, writes }: { generation: Generation; writes: boolean }) {
  const { t } = useLanguage();
  const modelName = useModelName();
  const [asking, setAsking] = useState(false);
  const operation = useOperation(generation.operationId).data;
  const cancel = useCancelSwitch();
  const name = modelName(generation.embedder);
  const progress = operation?.progress ?? 0;
  return (
    <Stack gap="xs" role="status">
      <Text fw={500}>{t("knowledge.model.building", { name, progress })}</Text>
      <Progress value={progress} aria-label={t("knowledge.model.building", { name, progress })} />
      <Text size="sm" c="dimmed">
        {t("knowledge.model.buildingHint")}
      </Text>
      {operation?.error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {operation.error}
        </Text>
      )}
      {writes && (
        <Group>
          <Button variant="default" onClick={() => setAsking(true)}>
            {t("knowledge.model.cancel")}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={t("knowledge.model.cancelTitle", { name })}
        loss={t("knowledge.model.cancelLoss")}
        verb={t("knowledge.model.cancel")}
        onConfirm={() => cancel.mutateAsync(generation.operationId ?? "")}
      />
    </Stack>
  );
}

function GenerationList({ kb, list, writes }: Props & { list: Generation[] }) {
  const { t } = useLanguage();
  const modelName = useModelName();
  const [dropping, setDropping] = useState<Generation | null>(null);
  const drop = useDropGeneration(kb.id);
  return (
    <>
      <Stack gap="sm" component="ul" p={0} m={0} aria-label={t("knowledge.model.list")} style={{ listStyle: "none" }}>
        {list.map((generation) => (
          <GenerationRow key={generation.id} {...{ kb, generation, writes }} onDrop={() => setDropping(generation)} />
        ))}
      </Stack>
      <ConfirmDialog
        opened={dropping !== null}
        onClose={() => setDropping(null)}
        title={t("knowledge.model.dropTitle", { name: modelName(dropping?.embedder ?? "") })}
        loss={t("knowledge.model.dropLoss")}
        verb={t("knowledge.model.drop")}
        onConfirm={() => drop.mutateAsync(dropping?.id ?? "")}
      />
    </>
  );
}

type RowProps = Props & { generation: Generation; onDrop: () => void };

function GenerationRow({ kb, generation, writes, onDrop }: RowProps) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const modelName = useModelName();
  const begin = useSwitchModel(kb.id);
  const { state, embedder } = generation;
  const failure = useFailedSwitch(kb.id, state === "unfinished").data;
  if (state === "building") return null;
  return (
    <Group component="li" justify="space-between" gap="sm" className="sheet" px="md" py="sm">
      <div style={{ minWidth: 0, flex: "1 1 260px" }}>
        <Group gap="xs">
          <Text fw={500} style={{ overflowWrap: "anywhere" }}>
            {modelName(embedder)}
          </Text>
          <Badge size="lg" variant={state === "active" ? "light" : "default"} tt="none" fw={500}>
            {t(`knowledge.model.${state}`)}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          {t(`knowledge.model.${state}Hint`)} {t("knowledge.model.passages", { count: generation.chunkCount })} ·{" "}
          <TimeAgo time={generation.createdAt} />
        </Text>
        {state === "unfinished" && failure?.error && (
          <Text size="sm" c="var(--mantine-color-error)">
            {failure.error}
          </Text>
        )}
      </div>
      {writes && state !== "active" && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={begin.isPending}
            onClick={() => begin.mutate(requestName(embedder), { onError: sayError })}
          >
            {state === "kept" ? t("knowledge.model.back") : t("knowledge.model.again")}
          </Button>
          <Button size="xs" variant="subtle" color="red" onClick={onDrop}>
            {t("knowledge.model.drop")}
          </Button>
        </Group>
      )}
    </Group>
  );
}

/** What to ask for to get a generation's model again; the built-in one may have been renewed since. */
function requestName(embedder: string): string {
  return embedder.startsWith(`${BUILT_IN}:`) ? BUILT_IN : embedder;
}

function SwitchForm({ kb }: { kb: KnowledgeBase }) {
  const { t } = useLanguage();
  const active = requestName(kb.embedder);
  // Nothing is chosen for anybody: a click too many would embed everything anew, or give up search by meaning.
  const [embedder, setEmbedder] = useState<string | null>(null);
  const begin = useSwitchModel(kb.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (embedder) begin.mutate(embedder, { onSuccess: () => setEmbedder(null) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <EmbedderSelect
            label={t("knowledge.model.switchTo")}
            placeholder={t("knowledge.model.choose")}
            value={embedder}
            onChange={setEmbedder}
            without={active}
          />
          <Button type="submit" variant="default" disabled={!embedder} loading={begin.isPending}>
            {t("knowledge.model.switch")}
          </Button>
        </Group>
        {begin.error && <ErrorState error={begin.error} />}
      </Stack>
    </form>
  );
}
