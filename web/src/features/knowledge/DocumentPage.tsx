import { Alert, Anchor, Button, Group, Progress, Stack, Text, Title } from "@mantine/core";
import {
  IconAlertTriangle,
  IconChevronLeft,
  IconClock,
  IconInfoCircle,
  IconRefresh,
  IconReplace,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { useMe } from "../../api/me";
import { useNotify } from "../../components/notify";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { DocumentActions } from "./DocumentActions";
import { DocumentFacts } from "./DocumentFacts";
import { DocumentPassages } from "./DocumentPassages";
import { DocumentTags } from "./DocumentTags";
import { DocumentVersions } from "./DocumentVersions";
import { type Document, useDocument, useRetryDocuments } from "./documentQueries";
import { useKnowledgeBase } from "./queries";
import { replaceDocument } from "./uploads";

export function DocumentPage() {
  const { documentId = "" } = useParams();
  const document = useDocument(documentId);
  const writes = useMe().data?.scopes.includes("write") ?? false;
  return <QueryState query={document}>{(found) => <Shown document={found} writes={writes} />}</QueryState>;
}

function Shown({ document, writes }: { document: Document; writes: boolean }) {
  const { t } = useLanguage();
  const knowledgeBase = useKnowledgeBase(document.knowledgeBaseId).data;
  return (
    <>
      <Anchor
        component={Link}
        to={`/knowledge/${document.knowledgeBaseId}`}
        size="sm"
        display="inline-flex"
        mb={4}
        maw="100%"
        style={{ alignItems: "center" }}
      >
        <IconChevronLeft size={16} aria-hidden style={{ flexShrink: 0 }} />
        <Text component="span" inherit truncate>
          {knowledgeBase?.name ?? t("knowledge.title")}
        </Text>
      </Anchor>
      <PageHeader
        title={document.title || document.name}
        description={document.title && document.title !== document.name ? document.name : undefined}
        actions={<DocumentActions document={document} writes={writes} />}
      />
      <Stack gap="lg">
        <Standing document={document} writes={writes} />
        {document.remarks.length > 0 && (
          <Alert color="gray" icon={<IconInfoCircle aria-hidden />} title={t("documents.remarks")}>
            {document.remarks.map((remark) => (
              <Text key={remark} size="sm">
                {remark}
              </Text>
            ))}
          </Alert>
        )}
        <div className="document-columns">
          <Stack gap="lg" miw={0}>
            {document.status === "indexed" && (
              <Part title={t("documents.summary")}>
                <Text c={document.summary ? undefined : "dimmed"} style={{ overflowWrap: "anywhere" }}>
                  {document.summary ?? t("documents.noSummary")}
                </Text>
              </Part>
            )}
            <Part title={t("documents.tags")}>
              <DocumentTags document={document} writes={writes} />
            </Part>
          </Stack>
          <Stack gap="lg" miw={0}>
            <Part title={t("documents.facts")}>
              <DocumentFacts document={document} writes={writes} />
            </Part>
            <Part title={t("documents.versions")}>
              <DocumentVersions documentId={document.id} />
            </Part>
          </Stack>
        </div>
        <DocumentPassages document={document} />
      </Stack>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" className="sheet" p="md" gap="sm" aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

/** Where a document stands that does not answer yet, or not with its latest version, and what to do about it. */
function Standing({ document, writes }: { document: Document; writes: boolean }) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const retry = useRetryDocuments();
  const { status, error, progress } = document;
  if (status === "indexed") return null;
  if (status === "failed") {
    return (
      <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={t("documents.failedTitle")}>
        <Text size="sm">{error}</Text>
        {document.searchable && <Text size="sm">{t("documents.failedOlder")}</Text>}
        {writes && (
          <>
            <Text size="sm">{document.retryable ? t("documents.failedHint") : t("documents.failedForGood")}</Text>
            <Group mt="sm">
              {document.retryable && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconRefresh size={16} aria-hidden />}
                  loading={retry.isPending}
                  onClick={() => retry.mutate([document.id], { onError: sayError })}
                >
                  {t("documents.retry")}
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                leftSection={<IconReplace size={16} aria-hidden />}
                onClick={() => replaceDocument(document)}
              >
                {t("documents.replace")}
              </Button>
            </Group>
          </>
        )}
      </Alert>
    );
  }
  const words = status === "pending" ? t("documents.waitingTitle") : t("documents.indexingTitle", { progress });
  return (
    <Alert color="verdigris" role="status" icon={<IconClock aria-hidden />} title={words}>
      <Progress value={progress} aria-label={words} />
      {error && (
        <Text size="sm" mt="xs">
          {error}
        </Text>
      )}
    </Alert>
  );
}
