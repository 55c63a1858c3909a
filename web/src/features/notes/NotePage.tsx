import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAlertTriangle, IconChevronLeft, IconPencil, IconTrash } from "@tabler/icons-react";
import { Link, useNavigate, useParams } from "react-router";
import { useMe } from "../../api/me";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DocumentStatusText } from "../../components/DocumentStatusText";
import { Markdown } from "../../components/Markdown";
import { useNotify } from "../../components/notify";
import { PageHeader } from "../../components/PageHeader";
import { QueryState } from "../../components/QueryState";
import { TimeAgo } from "../../components/TimeAgo";
import { useLanguage } from "../../messages/language";
import { tagText } from "./drafts";
import { NoteGone } from "./NoteGone";
import { NoteSuggestions } from "./NoteSuggestions";
import { editorOf, NOTES } from "./places";
import { type NoteDetail, useDeleteNote, useNote, useResources, useRetryNote } from "./queries";
import "./notes.css";

/** One note as it reads. */
export function NotePage() {
  const { noteId = "" } = useParams();
  const { t } = useLanguage();
  const note = useNote(noteId);
  const writes = useMe().data?.scopes.includes("write") ?? false;
  return (
    <>
      <Anchor component={Link} to={NOTES} size="sm" display="inline-flex" mb={4} style={{ alignItems: "center" }}>
        <IconChevronLeft size={16} aria-hidden />
        {t("notes.title")}
      </Anchor>
      {/* What was deleted meanwhile is not shown as if it were there. */}
      <NoteGone
        error={note.error}
        fallback={<QueryState query={note}>{(found) => <Shown note={found} writes={writes} />}</QueryState>}
      />
    </>
  );
}

function Shown({ note, writes }: { note: NoteDetail; writes: boolean }) {
  return (
    <>
      <PageHeader title={note.title} description={<Facts note={note} />} actions={writes && <Acts note={note} />} />
      <Stack gap="md">
        {note.status === "failed" && <Failed note={note} writes={writes} />}
        <Tags note={note} />
        {writes && <NoteSuggestions note={note} />}
        <article className="sheet note-text" aria-label={note.title}>
          <Markdown text={note.content} />
        </article>
      </Stack>
    </>
  );
}

function Facts({ note }: { note: NoteDetail }) {
  const { t } = useLanguage();
  const resource = useResources().data?.find(({ slug }) => slug === note.resource)?.name ?? note.resource;
  const author = note.author ?? t("notes.authorGone");
  return (
    <>
      <Anchor component={Link} to={`/knowledge/${note.knowledgeBaseId}`} underline="always">
        {resource}
      </Anchor>{" "}
      · {author} · <TimeAgo time={note.updatedAt} /> · <DocumentStatusText document={note} />
    </>
  );
}

function Tags({ note }: { note: NoteDetail }) {
  const { t } = useLanguage();
  if (note.tags.length === 0) return null;
  return (
    <Group gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label={t("notes.tags")}>
      {note.tags.map(tagText).map((tag) => (
        <li key={tag} className="tag">
          {tag}
        </li>
      ))}
    </Group>
  );
}

function Failed({ note, writes }: { note: NoteDetail; writes: boolean }) {
  const { t } = useLanguage();
  const { sayError } = useNotify();
  const retry = useRetryNote(note.id);
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("documents.failedTitle")}>
      <Text size="sm">{note.error}</Text>
      {writes && note.retryable && (
        <Button
          size="xs"
          variant="default"
          mt="sm"
          loading={retry.isPending}
          onClick={() => retry.mutate(undefined, { onError: sayError })}
        >
          {t("state.retry")}
        </Button>
      )}
    </Alert>
  );
}

function Acts({ note }: { note: NoteDetail }) {
  const { t } = useLanguage();
  const { say } = useNotify();
  const navigate = useNavigate();
  const [asking, dialog] = useDisclosure();
  const remove = useDeleteNote(note.id);
  const confirm = async () => {
    await remove.mutateAsync();
    say(t("notes.deleted", { title: note.title }));
    await navigate(NOTES, { replace: true });
  };
  return (
    <>
      <Button variant="default" leftSection={<IconTrash size={18} stroke={1.5} aria-hidden />} onClick={dialog.open}>
        {t("documents.delete")}
      </Button>
      <Button component={Link} to={editorOf(note.id)} leftSection={<IconPencil size={18} stroke={1.5} aria-hidden />}>
        {t("notes.edit")}
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={dialog.close}
        title={t("notes.deleteTitle", { title: note.title })}
        loss={t("notes.deleteLoss")}
        verb={t("documents.delete")}
        onConfirm={confirm}
      />
    </>
  );
}
