import { useLocation, useParams } from "react-router";
import { QueryState } from "../../components/QueryState";
import { EMPTY, type Draft } from "./drafts";
import { NoteEditor } from "./NoteEditor";
import { NoteGone } from "./NoteGone";
import { NEW } from "./places";
import { useNote } from "./queries";

/** Writes a new note or changes one; a template hands over what it filled in. */
export function EditorPage() {
  const { noteId = NEW } = useParams();
  const { state } = useLocation() as { state: { draft?: Draft } | null };
  const isNew = noteId === NEW;
  const note = useNote(noteId, !isNew);
  if (!isNew && note.data === undefined)
    return <NoteGone error={note.error} fallback={<QueryState query={note}>{() => null}</QueryState>} />;
  return <NoteEditor note={isNew ? null : (note.data ?? null)} begin={state?.draft ?? EMPTY} />;
}
