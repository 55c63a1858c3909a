import { Stack, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useNotify } from "../../components/notify";
import { useLanguage } from "../../messages/language";
import { entriesOf, readEntries } from "./chosenFiles";
import type { KnowledgeBase } from "./queries";
import { addFiles } from "./uploads";

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files and folders that are dropped anywhere on the page. */
export function DropArea({ kb }: { kb: KnowledgeBase }) {
  const { t } = useLanguage();
  const { say, sayError } = useNotify();
  const [over, setOver] = useState(false);
  const take = async (entries: FileSystemEntry[]) => {
    try {
      const files = await readEntries(entries);
      if (files.length > 0) addFiles(kb.id, files);
      else say(t("uploads.nothing"));
    } catch (error) {
      sayError(error);
    }
  };
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    // Every element that is crossed is entered and left; only at the balance of none the drag is gone.
    let inside = 0;
    const show = (event: DragEvent, change: number) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      inside = Math.max(0, inside + change);
      setOver(inside > 0);
    };
    const enter = (event: DragEvent) => show(event, 1);
    const leave = (event: DragEvent) => show(event, -1);
    const move = (event: DragEvent) => {
      show(event, 0);
      if (carriesFiles(event) && event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    };
    const drop = (event: DragEvent) => {
      show(event, -inside);
      if (carriesFiles(event) && event.dataTransfer) void latest.current(entriesOf(event.dataTransfer));
    };
    const stopping = new AbortController();
    const { signal } = stopping;
    addEventListener("dragenter", enter, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("dragover", move, { signal });
    addEventListener("drop", drop, { signal });
    return () => stopping.abort();
  }, []);
  if (!over) return null;
  return (
    <div className="drop-area">
      <Stack align="center" gap="xs" className="sheet" p="xl" ta="center">
        <IconUpload size={40} stroke={1.25} aria-hidden />
        <Text fw={600} size="lg" style={{ overflowWrap: "anywhere" }}>
          {t("uploads.drop", { name: kb.name })}
        </Text>
        <Text c="dimmed">{t("uploads.dropHint")}</Text>
      </Stack>
    </div>
  );
}
