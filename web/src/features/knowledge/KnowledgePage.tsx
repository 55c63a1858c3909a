import { Badge, Group, Table, Text } from "@mantine/core";
import { IconBooks } from "@tabler/icons-react";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { Bytes, Count } from "../../components/Numbers";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { useKnowledgeBases } from "./queries";

export function KnowledgePage() {
  const { t } = useLanguage();
  const knowledgeBases = useKnowledgeBases();
  return (
    <>
      <PageHeader title={t("knowledge.title")} />
      <QueryState query={knowledgeBases}>
        {(page) =>
          page.items.length === 0 ? (
            <EmptyState icon={IconBooks} title={t("knowledge.empty")} hint={t("knowledge.emptyHint")} />
          ) : (
            <KnowledgeBaseTable items={page.items} />
          )
        }
      </QueryState>
    </>
  );
}

function KnowledgeBaseTable({ items }: { items: Schemas["KnowledgeBaseOut"][] }) {
  const { t } = useLanguage();
  return (
    <TableSheet label={t("knowledge.title")}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t("knowledge.name")}</Table.Th>
          <Table.Th ta="right">{t("knowledge.documents")}</Table.Th>
          <Table.Th ta="right" visibleFrom="sm">
            {t("knowledge.chunks")}
          </Table.Th>
          <Table.Th ta="right" visibleFrom="sm">
            {t("knowledge.size")}
          </Table.Th>
          <Table.Th visibleFrom="sm">{t("knowledge.updated")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((kb) => (
          <Table.Tr key={kb.id}>
            <Table.Td>
              <Group gap="xs">
                <Text fw={500}>{kb.name}</Text>
                {kb.builtIn && (
                  <Badge variant="outline" color="gray" size="sm" tt="none" c="dimmed">
                    {t("knowledge.builtIn")}
                  </Badge>
                )}
              </Group>
              {kb.description && (
                <Text size="sm" c="dimmed" lineClamp={1}>
                  {kb.description}
                </Text>
              )}
            </Table.Td>
            <Table.Td ta="right">
              <Count value={kb.stats.documentCount} />
            </Table.Td>
            <Table.Td ta="right" visibleFrom="sm">
              <Count value={kb.stats.chunkCount} />
            </Table.Td>
            <Table.Td ta="right" visibleFrom="sm">
              <Bytes value={kb.stats.sizeBytes} />
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <TimeAgo time={kb.updatedAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}
