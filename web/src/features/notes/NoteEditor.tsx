import { Alert, Button, Group, Input, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { useHotkeys, useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangle, IconDeviceFloppy } from "@tabler/icons-react";
import { useDeferredValue, useState } from "react";
import { Link } from "react-router";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { ErrorState } from "../../components/ErrorState";
import { Markdown } from "../../components/Markdown";
import { PageHeader } from "../../components/PageHeader";
import { useLanguage } from "../../messages/language";
import type { Draft } from "./drafts";
import { NoteFields } from "./NoteFields";
import { editorOf, NOTES, noteAt } from "./places";
import type { NoteDetail } from "./queries";
import { useDraft } from "./useDraft";
import { useLeaving } from "./useLeaving";
import "./notes.css";

/** A note as source beside what it will look like. Ctrl+S saves and stays, the button saves and leads to the note. */
export function NoteEditor({ note, begin }: { note: NoteDetail | null; begin: Draft }) {
  const { t } = useLanguage();
  const writing = useDraft(note, begin);
  const { draft, setDraft, unsaved, saving, error } = writing;
  const leaving = useLeaving(unsaved);
  const [tried, setTried] = useState(false);
  const empty = draft.content.trim() === "";
  const save = async (stay: boolean) => {
    setTried(true);
    if (saving || empty || writing.clash) return;
    const saved = await writing.save();
    if (!saved) return;
    if (!stay) await leaving.leave(noteAt(saved.noteId), { replace: note === null, state: { suggested: saved } });
    else if (!note) await leaving.leave(editorOf(saved.noteId), { replace: true, state: { stays: true } });
  };
  // In fields, too: that is where whoever writes is.
  useHotkeys([["mod+S", () => void save(true)]], []);
  return (
    <>
      <PageHeader
        title={note ? t("notes.editing", { title: note.title }) : t("notes.new")}
        actions={
          <>
            <Text size="sm" c="dimmed" role="status">
              {saving ? t("notes.saving") : unsaved ? t("notes.unsaved") : note ? t("notes.saved") : ""}
            </Text>
            <Button component={Link} to={note ? noteAt(note.id) : NOTES} variant="default">
              {unsaved ? t("action.cancel") : t("action.close")}
            </Button>
            <Button
              leftSection={<IconDeviceFloppy size={18} stroke={1.5} aria-hidden />}
              loading={saving}
              disabled={writing.clash}
              aria-keyshortcuts="Control+S"
              title={t("notes.saveKeys")}
              onClick={() => save(false)}
            >
              {t("action.save")}
            </Button>
          </>
        }
      />
      <Stack gap="md">
        {writing.clash && <Clash noteId={note?.id ?? ""} onTheirs={writing.takeTheirs} onMine={writing.keepMine} />}
        {error !== null && <ErrorState error={error} />}
        <NoteFields draft={draft} onChange={setDraft} suggested={note?.suggestedTags ?? []} />
        {note?.contentType === "blocks" && (
          <Text size="sm" c="dimmed">
            {t("notes.fromBlocks")}
          </Text>
        )}
        <Panes
          content={draft.content}
          error={tried && empty ? t("notes.contentRequired") : undefined}
          onChange={(content) => setDraft((now) => ({ ...now, content }))}
        />
      </Stack>
      <ConfirmDialog
        opened={leaving.asking}
        onClose={leaving.stay}
        title={t("notes.leaveTitle")}
        loss={t("notes.leaveLoss")}
        verb={t("notes.leave")}
        onConfirm={async () => leaving.go()}
      />
    </>
  );
}

type ClashProps = { noteId: string; onTheirs: () => void; onMine: () => void };

/** Somebody else changed the note: whose text stays is for people to say. */
function Clash({ noteId, onTheirs, onMine }: ClashProps) {
  const { t } = useLanguage();
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={t("notes.clash")}>
      <Text size="sm">{t("notes.clashHint")}</Text>
      <Group gap="sm" mt="sm">
        <Button size="xs" variant="default" onClick={onMine}>
          {t("notes.keepMine")}
        </Button>
        <Button size="xs" variant="default" onClick={onTheirs}>
          {t("notes.takeTheirs")}
        </Button>
        <Button size="xs" variant="default" component="a" href={noteAt(noteId)} target="_blank">
          {t("notes.readTheirs")}
        </Button>
      </Group>
    </Alert>
  );
}

type PanesProps = { content: string; error?: string; onChange: (content: string) => void };

/** Source and preview side by side; on a small screen one at a time. */
function Panes({ content, error, onChange }: PanesProps) {
  const { t } = useLanguage();
  const narrow = useMediaQuery("(max-width: 48em)") ?? false;
  const [pane, setPane] = useState("source");
  return (
    <Stack gap="xs">
      {narrow && (
        <SegmentedControl
          aria-label={t("notes.pane")}
          value={pane}
          onChange={setPane}
          data={[
            { value: "source", label: t("notes.source") },
            { value: "preview", label: t("notes.preview") },
          ]}
        />
      )}
      <div className="note-columns" data-single={narrow || undefined}>
        {(!narrow || pane === "source") && (
          <Textarea
            label={t("notes.source")}
            required
            withAsterisk={false}
            error={error}
            placeholder={t("notes.sourceHint")}
            spellCheck
            classNames={{ input: "note-source" }}
            value={content}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        )}
        {(!narrow || pane === "preview") && <Preview content={content} />}
      </div>
    </Stack>
  );
}

function Preview({ content }: { content: string }) {
  const { t } = useLanguage();
  // Typing goes before showing what was typed.
  const shown = useDeferredValue(content);
  return (
    <div>
      <Input.Label labelElement="div">{t("notes.preview")}</Input.Label>
      <div className="sheet note-text note-preview" tabIndex={0} role="region" aria-label={t("notes.preview")}>
        {shown.trim() ? <Markdown text={shown} /> : <Text c="dimmed">{t("notes.previewEmpty")}</Text>}
      </div>
    </div>
  );
}
