import { Table, Text } from "@mantine/core";
import { IconVector } from "@tabler/icons-react";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { EmptyState } from "../../components/EmptyState";
import { useNotify } from "../../components/notify";
import { Count } from "../../components/Numbers";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { useLanguage } from "../../messages/language";
import { EmbedderDialog } from "./EmbedderDialog";
import { ModelActs } from "./ModelActs";
import { ModelSection } from "./ModelSection";
import { type Embedder, useDeleteEmbedder, useEmbedders, useTestEmbedder } from "./modelQueries";

export function Embedders({ administers }: { administers: boolean }) {
  const { t } = useLanguage();
  const embedders = useEmbedders();
  const remove = useDeleteEmbedder();
  const [edited, setEdited] = useState<Embedder | "new" | null>(null);
  const [doomed, setDoomed] = useState<Embedder | null>(null);
  return (
    <ModelSection
      title={t("models.embedders")}
      intro={t("models.embeddersIntro")}
      addLabel={t("models.addEmbedder")}
      onAdd={administers ? () => setEdited("new") : null}
    >
      <QueryState query={embedders}>
        {(list) =>
          list.length === 0 ? (
            <div className="sheet">
              <EmptyState icon={IconVector} title={t("models.embeddersEmpty")} hint={t("models.embeddersEmptyHint")} />
            </div>
          ) : (
            <EmbedderTable embedders={list} administers={administers} onEdit={setEdited} onDelete={setDoomed} />
          )
        }
      </QueryState>
      {edited && <EmbedderDialog embedder={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
      <ConfirmDialog
        opened={doomed !== null}
        onClose={() => setDoomed(null)}
        title={t("models.deleteEmbedderTitle", { name: doomed?.name ?? "" })}
        loss={t("models.deleteEmbedderLoss")}
        verb={t("models.delete")}
        onConfirm={() => remove.mutateAsync(doomed?.id ?? "")}
      />
    </ModelSection>
  );
}

type TableProps = {
  embedders: Embedder[];
  administers: boolean;
  onEdit: (embedder: Embedder) => void;
  onDelete: (embedder: Embedder) => void;
};

function EmbedderTable({ embedders, administers, onEdit, onDelete }: TableProps) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const test = useTestEmbedder();
  const run = ({ id, name }: Embedder) =>
    test.mutate(id, {
      onSuccess: ({ milliseconds, separates }) =>
        say(separates ? t("models.works", { name, milliseconds }) : t("models.doesNotSeparate", { name })),
      onError: sayError,
    });
  return (
    <TableSheet label={t("models.embedders")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("models.name")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("models.model")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("models.address")}</Table.Th>
          <Table.Th visibleFrom="sm" ta="right">
            {t("models.dims")}
          </Table.Th>
          {administers && <Table.Th ta="right">{t("models.actions")}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {embedders.map((embedder) => (
          <Table.Tr key={embedder.id}>
            <Table.Td style={{ overflowWrap: "anywhere" }}>
              <Text fw={500}>{embedder.name}</Text>
            </Table.Td>
            <Table.Td visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
              {embedder.model}
            </Table.Td>
            <Table.Td visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
              {embedder.baseUrl}
            </Table.Td>
            <Table.Td visibleFrom="sm" ta="right">
              <Count value={embedder.dims} />
            </Table.Td>
            {administers && (
              <Table.Td>
                <ModelActs
                  name={embedder.name}
                  testing={test.isPending && test.variables === embedder.id}
                  onTest={() => run(embedder)}
                  onEdit={() => onEdit(embedder)}
                  onDelete={() => onDelete(embedder)}
                />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}
