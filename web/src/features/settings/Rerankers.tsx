import { Badge, Group, Menu, Table, Text } from "@mantine/core";
import { IconArrowsSort, IconStar, IconStarOff } from "@tabler/icons-react";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { EmptyState } from "../../components/EmptyState";
import { useNotify } from "../../components/notify";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { useLanguage } from "../../messages/language";
import { ModelActs } from "./ModelActs";
import { ModelSection } from "./ModelSection";
import { type Reranker, useDefaultReranker, useDeleteReranker, useRerankers, useTestReranker } from "./modelQueries";
import { RerankerDialog } from "./RerankerDialog";

export function Rerankers({ administers }: { administers: boolean }) {
  const { t } = useLanguage();
  const rerankers = useRerankers();
  const remove = useDeleteReranker();
  const [edited, setEdited] = useState<Reranker | "new" | null>(null);
  const [doomed, setDoomed] = useState<Reranker | null>(null);
  return (
    <ModelSection
      title={t("models.rerankers")}
      intro={t("models.rerankersIntro")}
      addLabel={t("models.addReranker")}
      onAdd={administers ? () => setEdited("new") : null}
    >
      <QueryState query={rerankers}>
        {(list) =>
          list.length === 0 ? (
            <div className="sheet">
              <EmptyState
                icon={IconArrowsSort}
                title={t("models.rerankersEmpty")}
                hint={t("models.rerankersEmptyHint")}
              />
            </div>
          ) : (
            <RerankerTable rerankers={list} administers={administers} onEdit={setEdited} onDelete={setDoomed} />
          )
        }
      </QueryState>
      {edited && <RerankerDialog reranker={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
      <ConfirmDialog
        opened={doomed !== null}
        onClose={() => setDoomed(null)}
        title={t("models.deleteRerankerTitle", { name: doomed?.name ?? "" })}
        loss={t("models.deleteRerankerLoss")}
        verb={t("models.delete")}
        onConfirm={() => remove.mutateAsync(doomed?.id ?? "")}
      />
    </ModelSection>
  );
}

type TableProps = {
  rerankers: Reranker[];
  administers: boolean;
  onEdit: (reranker: Reranker) => void;
  onDelete: (reranker: Reranker) => void;
};

function RerankerTable({ rerankers, administers, onEdit, onDelete }: TableProps) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const test = useTestReranker();
  const run = ({ id, name }: Reranker) =>
    test.mutate(id, {
      onSuccess: ({ milliseconds }) => say(t("models.works", { name, milliseconds })),
      onError: sayError,
    });
  return (
    <TableSheet label={t("models.rerankers")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("models.name")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("models.style")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("models.model")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("models.address")}</Table.Th>
          {administers && <Table.Th ta="right">{t("models.actions")}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rerankers.map((reranker) => (
          <Table.Tr key={reranker.id}>
            <Table.Td style={{ overflowWrap: "anywhere" }}>
              <Group gap="xs">
                <Text fw={500}>{reranker.name}</Text>
                {reranker.isDefault && (
                  <Badge variant="light" tt="none" fw={500}>
                    {t("models.default")}
                  </Badge>
                )}
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="sm">{t(`models.style.${reranker.style}`)}</Table.Td>
            <Table.Td visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
              {reranker.model ?? "–"}
            </Table.Td>
            <Table.Td visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
              {reranker.baseUrl}
            </Table.Td>
            {administers && (
              <Table.Td>
                <ModelActs
                  name={reranker.name}
                  testing={test.isPending && test.variables === reranker.id}
                  onTest={() => run(reranker)}
                  onEdit={() => onEdit(reranker)}
                  onDelete={() => onDelete(reranker)}
                >
                  <DefaultItem reranker={reranker} />
                </ModelActs>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}

function DefaultItem({ reranker: { id, name, isDefault } }: { reranker: Reranker }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const choose = useDefaultReranker();
  const Picture = isDefault ? IconStarOff : IconStar;
  const act = () =>
    // Not a callback of `mutate`: the menu is closed before it would be called.
    choose
      .mutateAsync(isDefault ? null : id)
      .then(() => say(isDefault ? t("models.defaultIsNone") : t("models.defaultIs", { name })), sayError);
  return (
    <Menu.Item
      leftSection={<Picture size={16} stroke={1.5} aria-hidden />}
      aria-label={t(isDefault ? "models.noDefaultNamed" : "models.makeDefaultNamed", { name })}
      onClick={act}
    >
      {isDefault ? t("models.noDefault") : t("models.makeDefault")}
    </Menu.Item>
  );
}
