import { Badge, Table, Text } from "@mantine/core";
import { IconListCheck } from "@tabler/icons-react";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { useOperations } from "./queries";

export function OperationsPage() {
  const { t } = useLanguage();
  const operations = useOperations();
  return (
    <>
      <PageHeader title={t("operations.title")} />
      <QueryState query={operations}>
        {(page) =>
          page.items.length === 0 ? (
            <EmptyState icon={IconListCheck} title={t("operations.empty")} hint={t("operations.emptyHint")} />
          ) : (
            <OperationTable items={page.items} />
          )
        }
      </QueryState>
    </>
  );
}

function OperationTable({ items }: { items: Schemas["OperationOut"][] }) {
  const { t } = useLanguage();
  return (
    <TableSheet label={t("operations.title")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("operations.what")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("operations.where")}</Table.Th>
          <Table.Th>{t("operations.status")}</Table.Th>
          <Table.Th visibleFrom="sm">{t("operations.when")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((operation) => (
          <Table.Tr key={operation.id}>
            <Table.Td>
              <Text>{operation.documentName ?? operation.kind}</Text>
              {operation.error && (
                <Text size="sm" c="var(--mantine-color-error)">
                  {operation.error}
                </Text>
              )}
            </Table.Td>
            <Table.Td visibleFrom="sm">{operation.knowledgeBaseName}</Table.Td>
            <Table.Td>
              <Badge variant="default" tt="none" fw={500}>
                {t(`operations.status.${operation.status}`)}
                {operation.status === "running" && ` ${operation.progress} %`}
              </Badge>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <TimeAgo time={operation.createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}
