import { Anchor, Badge, Button, Group, Table, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBooks, IconFileImport, IconPlus, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { useMe } from "../../api/me";
import { EmptyState } from "../../components/EmptyState";
import { Bytes, Count } from "../../components/Numbers";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { TableSheet } from "../../components/TableSheet";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { ImportDialog } from "./ImportDialog";
import { KnowledgeBaseState } from "./KnowledgeBaseState";
import { NewKnowledgeBaseDialog } from "./NewKnowledgeBaseDialog";
import { type KnowledgeBase, useKnowledgeBases } from "./queries";
import { SampleMenu } from "./SampleMenu";
import { stateOf } from "./states";

/** From this many on, looking for one by its name is quicker than reading. */
const MANY = 8;

export function KnowledgePage() {
  const { t } = useLanguage();
  const knowledgeBases = useKnowledgeBases();
  const writes = useMe().data?.scopes.includes("write") ?? false;
  const [making, newDialog] = useDisclosure();
  const [importing, importDialog] = useDisclosure();
  const actions = writes && (
    <>
      <Button variant="default" leftSection={<IconFileImport size={18} aria-hidden />} onClick={importDialog.open}>
        {t("knowledge.import")}
      </Button>
      <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={newDialog.open}>
        {t("knowledge.new")}
      </Button>
      <SampleMenu />
    </>
  );
  return (
    <>
      <PageHeader title={t("knowledge.title")} description={t("knowledge.intro")} actions={actions} />
      <QueryState query={knowledgeBases}>
        {(page) =>
          page.items.length === 0 ? (
            <EmptyState icon={IconBooks} title={t("knowledge.empty")} hint={t("knowledge.emptyHint")} />
          ) : (
            <KnowledgeBases items={page.items} />
          )
        }
      </QueryState>
      {making && <NewKnowledgeBaseDialog onClose={newDialog.close} />}
      {importing && <ImportDialog onClose={importDialog.close} />}
    </>
  );
}

function KnowledgeBases({ items }: { items: KnowledgeBase[] }) {
  const { t } = useLanguage();
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = items.filter((kb) => `${kb.name}\n${kb.description}`.toLowerCase().includes(wanted));
  return (
    <>
      {items.length >= MANY && (
        <TextInput
          type="search"
          mb="md"
          maw={360}
          aria-label={t("knowledge.find")}
          placeholder={t("knowledge.find")}
          leftSection={<IconSearch size={18} stroke={1.5} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {found.length === 0 ? (
        <Text c="dimmed" role="status">
          {t("knowledge.findNone", { text: text.trim() })}
        </Text>
      ) : (
        <KnowledgeBaseTable items={found} />
      )}
    </>
  );
}

function KnowledgeBaseTable({ items }: { items: KnowledgeBase[] }) {
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
          <Table.Th visibleFrom="sm">{t("knowledge.state")}</Table.Th>
          <Table.Th visibleFrom="md">{t("knowledge.updated")}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((kb) => (
          <KnowledgeBaseRow key={kb.id} kb={kb} />
        ))}
      </Table.Tbody>
    </TableSheet>
  );
}

function KnowledgeBaseRow({ kb }: { kb: KnowledgeBase }) {
  const { t } = useLanguage();
  // Where something failed, its state leads to what did.
  const state =
    stateOf(kb) === "failed" ? (
      <Anchor component={Link} to={`/knowledge/${kb.id}?status=failed`} underline="always" c="inherit">
        <KnowledgeBaseState kb={kb} />
      </Anchor>
    ) : (
      <KnowledgeBaseState kb={kb} />
    );
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere", minWidth: 150 }}>
        <Group gap="xs">
          <Anchor component={Link} to={`/knowledge/${kb.id}`} fw={500}>
            {kb.name}
          </Anchor>
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
        <Text component="div" hiddenFrom="sm" mt={4}>
          {state}
        </Text>
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
      <Table.Td visibleFrom="sm">{state}</Table.Td>
      <Table.Td visibleFrom="md">
        <TimeAgo time={kb.updatedAt} />
      </Table.Td>
    </Table.Tr>
  );
}
