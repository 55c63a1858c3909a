import { Anchor, Group, Tabs, Text } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, Outlet, useLocation, useNavigate, useOutletContext, useParams } from "react-router";
import { useMe } from "../../api/me";
import { Bytes, Count } from "../../components/Numbers";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { AddMenu } from "./AddMenu";
import { DropArea } from "./DropArea";
import { KnowledgeBaseMenu } from "./KnowledgeBaseMenu";
import { KnowledgeBaseState } from "./KnowledgeBaseState";
import { useModelName } from "./knowledgeBaseFields";
import { type KnowledgeBase, useKnowledgeBase } from "./queries";

export type KnowledgeBaseContext = { kb: KnowledgeBase; writes: boolean };

/** What the tabs of a knowledge base are about. */
export function useKnowledgeBaseContext(): KnowledgeBaseContext {
  return useOutletContext<KnowledgeBaseContext>();
}

export function KnowledgeBasePage() {
  const { t } = useLanguage();
  const { kbId = "" } = useParams();
  const knowledgeBase = useKnowledgeBase(kbId);
  const writes = useMe().data?.scopes.includes("write") ?? false;
  const navigate = useNavigate();
  const here = useLocation().pathname.endsWith("/settings") ? "settings" : "documents";
  const open = (tab: string | null) =>
    navigate(tab === "settings" ? `/knowledge/${kbId}/settings` : `/knowledge/${kbId}`);
  return (
    <>
      <Anchor component={Link} to="/knowledge" size="sm" display="inline-flex" mb={4} style={{ alignItems: "center" }}>
        <IconChevronLeft size={16} aria-hidden />
        {t("knowledge.title")}
      </Anchor>
      <QueryState query={knowledgeBase}>
        {(kb) => (
          <>
            <PageHeader
              title={kb.name}
              description={kb.description || undefined}
              actions={
                <>
                  {writes && <AddMenu kbId={kb.id} />}
                  <KnowledgeBaseMenu kb={kb} writes={writes} />
                </>
              }
            />
            <Figures kb={kb} />
            <Tabs value={here} onChange={open} keepMounted={false}>
              <Tabs.List aria-label={t("knowledge.sections")} mb="md">
                <Tabs.Tab value="documents">{t("knowledge.documents")}</Tabs.Tab>
                <Tabs.Tab value="settings">{t("knowledge.settings")}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value={here}>
                <Outlet context={{ kb, writes } satisfies KnowledgeBaseContext} />
              </Tabs.Panel>
            </Tabs>
            {writes && <DropArea kb={kb} />}
          </>
        )}
      </QueryState>
    </>
  );
}

function Figures({ kb }: { kb: KnowledgeBase }) {
  const { t } = useLanguage();
  const modelName = useModelName();
  const { documentCount, chunkCount, sizeBytes } = kb.stats;
  const kept = kb.lifecycleDays
    ? t("knowledge.lifecycle.until", { count: kb.lifecycleDays })
    : t("knowledge.lifecycle.kept");
  return (
    <Group
      className="sheet"
      px="md"
      py="sm"
      mt={0}
      mb="lg"
      mx={0}
      gap="xl"
      align="flex-start"
      style={{ rowGap: 8 }}
      component="dl"
    >
      <Figure name={t("knowledge.documents")} value={<Count value={documentCount} />} />
      <Figure name={t("knowledge.chunks")} value={<Count value={chunkCount} />} />
      <Figure name={t("knowledge.size")} value={<Bytes value={sizeBytes} />} />
      <Figure name={t("knowledge.embedder")} value={modelName(kb.embedder)} />
      <Figure name={t("knowledge.lifecycle")} value={kept} />
      <Figure name={t("knowledge.state")} value={<KnowledgeBaseState kb={kb} />} />
    </Group>
  );
}

function Figure({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} style={{ overflowWrap: "anywhere" }}>
        {value}
      </Text>
    </div>
  );
}
