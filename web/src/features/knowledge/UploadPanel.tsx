import { ActionIcon, Button, Group, Progress, Text } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useLiveEvent } from "../../api/events";
import { useLanguage } from "../../messages/language";
import { remember, remembered } from "../../stored";
import { UploadRow } from "./UploadRow";
import { isBusy, isProblem, isUnsent, shareDone, type Upload } from "./upload";
import { canRetry, formatsIn } from "./uploadReasons";
import { uploads, useUploads } from "./uploads";

const ROW = 60;
/** Whoever works on while files come in wants a bar instead of a list, the next time too. */
const SIZE = "pinakes.uploads";
const SMALL = "small";

/** Everything that is being added, wherever one is in the page; stays until it is closed. */
export function UploadPanel() {
  const { t } = useLanguage();
  const list = useUploads();
  const [opened, setOpened] = useState(() => remembered(SIZE) !== SMALL);
  useLiveEvent(uploads.hear);
  useFreshLists(list);
  const busy = list.some(isBusy);
  const toggle = () => {
    remember(SIZE, opened ? SMALL : null);
    setOpened(!opened);
  };
  return (
    <section className="upload-panel sheet" data-small={!opened || undefined} aria-label={t("uploads.panel")}>
      <Group gap="xs" wrap="nowrap" px="md" py={opened ? "xs" : 4}>
        <Headline list={list} />
        <Group gap={4} wrap="nowrap" ml="auto">
          <ActionIcon
            variant="subtle"
            color="gray"
            c="inherit"
            aria-expanded={opened}
            aria-label={opened ? t("uploads.collapse") : t("uploads.expand")}
            onClick={toggle}
          >
            {opened ? <IconChevronDown size={18} aria-hidden /> : <IconChevronUp size={18} aria-hidden />}
          </ActionIcon>
          {!busy && (
            <ActionIcon
              variant="subtle"
              color="gray"
              c="inherit"
              aria-label={t("uploads.close")}
              onClick={() => uploads.clear()}
            >
              <IconX size={18} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {busy && <Overall list={list} />}
      {opened && (
        <>
          <Rows list={inOrder(list)} />
          <Formats list={list} />
          <PanelActions list={list} />
        </>
      )}
    </section>
  );
}

/** What moves comes first, then what is left to do: below hundreds that are done nobody would find it. */
function inOrder(list: readonly Upload[]): readonly Upload[] {
  const place = (upload: Upload) => (isBusy(upload) ? 0 : isProblem(upload) ? 1 : 2);
  return [...list].sort((one, other) => place(one) - place(other));
}

function Headline({ list }: { list: readonly Upload[] }) {
  const { t } = useLanguage();
  const files = list.filter(({ state }) => state !== "unpacked");
  const added = list.filter(({ state }) => state === "added").length;
  const replaced = list.filter(({ state }) => state === "replaced").length;
  const problems = list.filter(isProblem).length;
  const done = files.filter((upload) => !isBusy(upload)).length;
  const results = [
    added > 0 && t("uploads.finished", { count: added }),
    replaced > 0 && t("uploads.finishedReplaced", { count: replaced }),
  ].filter(Boolean);
  const words = list.some(isBusy)
    ? t("uploads.busy", { done, count: files.length })
    : results.join(" · ") || t("uploads.finishedNone");
  return (
    <div role="status">
      <Text fw={600}>{words}</Text>
      {problems > 0 && (
        <Text size="sm" c="var(--mantine-color-error)">
          {t("uploads.problems", { count: problems })}
        </Text>
      )}
    </div>
  );
}

function Overall({ list }: { list: readonly Upload[] }) {
  const { t } = useLanguage();
  const share = list.reduce((sum, upload) => sum + shareDone(upload), 0) / list.length;
  return <Progress radius={0} size="sm" value={100 * share} aria-label={t("uploads.panel")} />;
}

/** Only the lines in sight: thousands of files may have been dropped. */
function Rows({ list }: { list: readonly Upload[] }) {
  const { t } = useLanguage();
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    getItemKey: (index) => list[index]?.id ?? index,
    overscan: 4,
  });
  return (
    <div ref={box} className="upload-rows" role="region" tabIndex={0} aria-label={t("documents.list")}>
      <div role="list" style={{ position: "relative", height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const upload = list[index];
          return (
            upload && (
              <div
                key={key}
                ref={rows.measureElement}
                data-index={index}
                role="listitem"
                className="upload-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                <UploadRow upload={upload} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** Once for all that were refused for what they are; unfolded it would take half of a phone. */
function Formats({ list }: { list: readonly Upload[] }) {
  const { t } = useLanguage();
  const formats = formatsIn(list);
  if (!formats) return null;
  return (
    <Text component="details" size="xs" c="dimmed" px="md" py="xs" className="upload-actions">
      <summary>{t("uploads.formats")}</summary>
      {formats}
    </Text>
  );
}

function PanelActions({ list }: { list: readonly Upload[] }) {
  const { t } = useLanguage();
  const unsent = list.some(isUnsent);
  const duplicates = list.filter(({ state, content }) => state === "duplicate" && content);
  const failed = list.filter(canRetry);
  if (!unsent && duplicates.length < 2 && failed.length < 2) return null;
  return (
    <Group gap="xs" px="md" py="xs" justify="flex-end" className="upload-actions">
      {duplicates.length > 1 && (
        <Button size="xs" variant="default" onClick={() => duplicates.forEach(({ id }) => uploads.replace(id))}>
          {t("uploads.replaceAll", { count: duplicates.length })}
        </Button>
      )}
      {failed.length > 1 && (
        <Button size="xs" variant="default" onClick={() => failed.forEach(({ id }) => uploads.retry(id))}>
          {t("uploads.retryAll", { count: failed.length })}
        </Button>
      )}
      {unsent && (
        <Button size="xs" variant="default" onClick={() => uploads.cancelAll()}>
          {t("uploads.cancelAll")}
        </Button>
      )}
    </Group>
  );
}

/** A document is there as soon as it was sent; the first event about it comes later. */
function useFreshLists(list: readonly Upload[]): void {
  const queryClient = useQueryClient();
  const arrived = list.filter(({ documentId }) => documentId).length;
  useEffect(() => {
    if (arrived === 0) return;
    const soon = setTimeout(() => {
      for (const first of ["documents", "knowledge-bases"]) queryClient.invalidateQueries({ queryKey: [first] });
    }, 300);
    return () => clearTimeout(soon);
  }, [arrived, queryClient]);
}
