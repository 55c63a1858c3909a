import { Button, Group, Pagination, Select, Stack, Tabs, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useMe } from "../../api/me";
import { ErrorState } from "../../components/ErrorState";
import { useNotify } from "../../components/notify";
import { Count } from "../../components/Numbers";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { NoOperations } from "./NoOperations";
import { OperationList } from "./OperationList";
import { useKnowledgeBaseNames, useOperationCounts, useOperations, useRetryable, useRetryFailed } from "./queries";
import { asTab, type Counts, countOf, firstTab, PAGE_SIZE, TABS, type Tab } from "./tabs";

export function OperationsPage() {
  const { t } = useLanguage();
  // The address holds what is shown, so that it can be sent to somebody and Back works.
  const [parameters, setParameters] = useSearchParams();
  const kb = parameters.get("kb") ?? undefined;
  const counts = useOperationCounts(kb);
  const [opened, setOpened] = useState<Tab>();
  // Chosen once: a tab must not change under the reader because the work moves on.
  if (!opened && counts.data) setOpened(firstTab(counts.data));
  const tab = asTab(parameters.get("tab")) ?? opened;
  const show = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(parameters);
    next.delete("page");
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setParameters(next);
  };
  return (
    <>
      <PageHeader
        title={t("operations.title")}
        description={t("operations.intro")}
        actions={<KnowledgeBaseFilter value={kb ?? null} onChange={(id) => show({ kb: id })} />}
      />
      {counts.error && !counts.data && <ErrorState error={counts.error} onRetry={() => counts.refetch()} />}
      {tab && counts.data && (
        <Tabs value={tab} onChange={(value) => show({ tab: value })} keepMounted={false}>
          <Tabs.List mb="lg" aria-label={t("operations.tabs")}>
            {TABS.map((name) => (
              <Tabs.Tab key={name} value={name} px={{ base: "xs", sm: "md" }}>
                <TabName tab={name} counts={counts.data} />
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {TABS.map((name) => (
            <Tabs.Panel key={name} value={name}>
              {name === tab && (
                <TabContent
                  tab={tab}
                  counts={counts.data}
                  kb={kb}
                  page={Math.max(1, Number(parameters.get("page")) || 1)}
                  onPage={(page) => show({ page: page === 1 ? null : String(page) })}
                />
              )}
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </>
  );
}

function TabName({ tab, counts }: { tab: Tab; counts: Counts }) {
  const { t } = useLanguage();
  const count = countOf(tab, counts);
  return (
    <Group gap={6} wrap="nowrap">
      {t(`operations.tab.${tab}`)}
      <Text
        span
        size="sm"
        fw={tab === "failed" && count > 0 ? 600 : 400}
        c={tab === "failed" && count > 0 ? "var(--mantine-color-error)" : "dimmed"}
      >
        <Count value={count} />
      </Text>
    </Group>
  );
}

function KnowledgeBaseFilter({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  const { t } = useLanguage();
  const names = useKnowledgeBaseNames().data ?? [];
  return (
    <Select
      aria-label={t("operations.filter")}
      placeholder={t("operations.allKnowledgeBases")}
      clearable
      searchable={names.length > 8}
      clearButtonProps={{ "aria-label": t("operations.allKnowledgeBases") }}
      nothingFoundMessage={t("operations.noSuchKnowledgeBase")}
      w={{ base: "100%", xs: 240 }}
      value={value}
      onChange={onChange}
      data={names.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

type ContentProps = { tab: Tab; counts: Counts; kb?: string; page: number; onPage: (page: number) => void };

function TabContent({ tab, counts, kb, page, onPage }: ContentProps) {
  const { t } = useLanguage();
  const operations = useOperations(tab, kb, page);
  const writes = useMe().data?.scopes.includes("write") ?? false;
  return (
    <QueryState query={operations}>
      {(found) => {
        const pages = Math.ceil(found.total / PAGE_SIZE);
        if (found.items.length === 0 && page === 1) return <NoOperations tab={tab} counts={counts} filtered={!!kb} />;
        return (
          <Stack gap="md">
            {tab === "failed" && writes && <RetryAll total={found.total} kb={kb} />}
            <OperationList items={found.items} writes={writes} />
            {(pages > 1 || page > 1) && (
              <Group justify="center">
                <Pagination
                  total={Math.max(pages, 1)}
                  value={Math.min(page, Math.max(pages, 1))}
                  onChange={onPage}
                  aria-label={t("operations.pages")}
                  getItemProps={(number) => ({ "aria-label": t("operations.page", { number }) })}
                  getControlProps={(control) => ({
                    "aria-label": control === "previous" ? t("operations.previous") : t("operations.next"),
                  })}
                />
              </Group>
            )}
          </Stack>
        );
      }}
    </QueryState>
  );
}

/** One act for all that it may help; what never can be read stays until it is replaced or deleted. */
function RetryAll({ total, kb }: { total: number; kb?: string }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const count = useRetryable(kb).data ?? 0;
  const retry = useRetryFailed();
  const act = () =>
    retry
      .mutateAsync(kb ?? null)
      .then(
        ({ retried: count, left }) =>
          say(left ? t("operations.retriedSome", { count, left }) : t("operations.retried", { count })),
        sayError,
      );
  return (
    <Group justify="space-between" gap="sm">
      <Text c="dimmed">{t("operations.failedHint")}</Text>
      {count > 0 && (
        <Button
          variant="default"
          loading={retry.isPending}
          onClick={act}
          leftSection={<IconRefresh size={18} stroke={1.5} aria-hidden />}
        >
          {count < total ? t("operations.retrySome", { count, total }) : t("operations.retryAll", { count })}
        </Button>
      )}
    </Group>
  );
}
