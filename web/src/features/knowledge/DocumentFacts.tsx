import { Anchor, Button, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Bytes, Count } from "../../components/Numbers";
import { useNotify } from "../../components/notify";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { type Document, useRefetch } from "./documentQueries";

const isSlides = (mediaType: string) => /presentation|powerpoint/.test(mediaType);
const languageName = (tag: string, shown: string) => new Intl.DisplayNames(shown, { type: "language" }).of(tag) ?? tag;
const isAddress = (source: string) => /^https?:\/\//i.test(source);

export function DocumentFacts({ document, writes }: { document: Document; writes: boolean }) {
  const { t, language } = useLanguage();
  return (
    <dl className="facts">
      <Fact name={t("documents.fact.file")}>{document.name}</Fact>
      <Fact name={t("documents.fact.type")}>{document.mediaType}</Fact>
      <Fact name={t("documents.size")}>
        <Bytes value={document.sizeBytes} />
      </Fact>
      {document.pages !== null && (
        <Fact name={isSlides(document.mediaType) ? t("documents.fact.slides") : t("documents.fact.pages")}>
          <Count value={document.pages} />
        </Fact>
      )}
      {document.language && (
        <Fact name={t("documents.fact.language")}>{languageName(document.language, language)}</Fact>
      )}
      <Fact name={t("documents.passages")}>
        <Count value={document.chunkCount} />
      </Fact>
      <Fact name={t("documents.fact.version")}>
        <Count value={document.version} />
      </Fact>
      <Fact name={t("documents.fact.added")}>
        <TimeAgo time={document.createdAt} />
      </Fact>
      {document.indexedAt && (
        <Fact name={t("documents.fact.indexed")}>
          <TimeAgo time={document.indexedAt} />
        </Fact>
      )}
      {document.expiresAt && (
        <Fact name={t("documents.fact.expires")}>
          <TimeAgo time={document.expiresAt} />
        </Fact>
      )}
      {document.source && (
        <Fact name={t("documents.fact.source")}>
          <Source document={document} source={document.source} writes={writes} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} miw={0} style={{ overflowWrap: "anywhere" }}>
        {children}
      </Text>
    </>
  );
}

function Source({ document, source, writes }: { document: Document; source: string; writes: boolean }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const refetch = useRefetch();
  if (!isAddress(source)) return <>{source}</>;
  const fetchAgain = () =>
    refetch.mutate(document.id, {
      onSuccess: ({ unchanged }) => say(unchanged ? t("documents.unchanged") : t("documents.refetched")),
      onError: sayError,
    });
  return (
    <>
      <Anchor href={source} target="_blank" rel="noreferrer noopener" size="sm" underline="always">
        {source}
      </Anchor>
      {writes && (
        <div style={{ marginTop: 4 }}>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={refetch.isPending}
            onClick={fetchAgain}
          >
            {t("documents.refetch")}
          </Button>
        </div>
      )}
    </>
  );
}
