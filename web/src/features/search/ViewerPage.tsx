import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconArrowLeft, IconDownload, IconInfoCircle } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { ApiError, type Schemas } from "../../api/client";
import { CopyButton } from "../../components/CopyButton";
import { useErrorText } from "../../components/errorText";
import { Loading } from "../../components/Loading";
import { useNotify } from "../../components/notify";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { useLanguage } from "../../messages/language";
import { FoundPassages } from "./FoundPassages";
import { keepsLines, whereabouts } from "./places";
import { useChunk, useDocument, useDownload } from "./queries";
import "./search.css";
import { TextView } from "./TextView";
import "./viewer.css";

/** pdf.js is larger than the rest of the page together; only a PDF brings it. */
const PdfView = lazy(async () => ({ default: (await import("./PdfView")).PdfView }));

/** A document, opened at the passage that was cited. */
export function ViewerPage() {
  const { documentId = "" } = useParams();
  const [parameters] = useSearchParams();
  const chunkId = parameters.get("chunk") ?? "";
  const document = useDocument(documentId);
  const chunk = useChunk(documentId, chunkId);
  const waiting = chunkId !== "" && chunk.isPending;
  return (
    <QueryState query={document} rows={8}>
      {(found) => (
        <Stack gap="md" className="viewer">
          <Header document={found} chunk={chunk.data} search={parameters.get("search") ?? ""} chunkId={chunkId} />
          {chunk.error && <GonePassage error={chunk.error} />}
          {waiting ? <Loading rows={8} /> : <Original document={found} chunk={chunk.data} />}
        </Stack>
      )}
    </QueryState>
  );
}

type Shown = { document: Schemas["DocumentOut"]; chunk: Schemas["ChunkOut"] | undefined };

function Header({ document, chunk, search, chunkId }: Shown & { search: string; chunkId: string }) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const download = useDownload(document.id);
  const whole = chunk ? whereabouts(t, chunk, document.mediaType).join(" · ") : "";
  const place = chunk ? whereabouts(t, chunk, document.mediaType, document.title).join(" · ") : "";
  return (
    <div>
      <Group justify="space-between" mb="xs" gap="xs">
        <Anchor component={Link} to={search ? `/search?${search}` : `/documents/${document.id}`} size="sm">
          <Group gap={4} wrap="nowrap">
            <IconArrowLeft size={16} aria-hidden />
            {search ? t("viewer.back") : t("viewer.backToDocument")}
          </Group>
        </Anchor>
        {search && <FoundPassages search={search} chunkId={chunkId} />}
      </Group>
      <PageHeader
        title={document.title || document.name}
        description={[document.title ? document.name : "", place].filter(Boolean).join(" · ")}
        actions={
          <>
            {chunk && (
              <CopyButton text={`${document.name}${whole ? ` (${whole})` : ""}`} label={t("viewer.copyCitation")} />
            )}
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              loading={download.isPending}
              onClick={() => download.mutate(undefined, { onError: sayError })}
            >
              {t("viewer.download")}
            </Button>
          </>
        }
      />
    </div>
  );
}

/** The document was read anew since; the passage of then is not one of its passages now. */
function GonePassage({ error }: { error: Error }) {
  const { t } = useLanguage();
  const words = useErrorText();
  return (
    <Alert color="gray" variant="outline" title={t("viewer.goneTitle")} icon={<IconInfoCircle aria-hidden />}>
      {error instanceof ApiError && words(error)}
    </Alert>
  );
}

function Original({ document, chunk }: Shown) {
  const { t } = useLanguage();
  if (document.mediaType === "application/pdf") {
    return (
      <Suspense fallback={<Loading rows={8} />}>
        <PdfView document={document} chunk={chunk} />
      </Suspense>
    );
  }
  return (
    <>
      {!keepsLines(document.mediaType) && (
        <Text size="sm" c="dimmed">
          {t("viewer.extracted")}
        </Text>
      )}
      <TextView document={document} chunk={chunk} />
    </>
  );
}
