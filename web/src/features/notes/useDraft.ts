import { useEffect, useState } from "react";
import { type Base, baseOf, changesOf, combine, type Draft, draftOf, EMPTY } from "./drafts";
import { type NoteDetail, useCreateNote, useFreshNote, useUpdateNote, wasChanged } from "./queries";

/** What came of saving: the note's id, and what the server makes of a new text. */
export type Saved = { noteId: string; suggestedResource: string | null; suggestedTags: string[] };

/** What was not touched since it was sent becomes what the server made of it. */
function settle(now: Draft, sent: Draft, kept: Draft): Draft {
  return {
    title: now.title === sent.title ? kept.title : now.title,
    resource: now.resource === sent.resource ? kept.resource : now.resource,
    tags: now.tags === sent.tags ? kept.tags : now.tags,
    content: now.content === sent.content ? kept.content : now.content,
  };
}

/** A text between its last saving and the next; `note` is kept true by live events, null before it is there. */
export function useDraft(note: NoteDetail | null, begin: Draft) {
  const [base, setBase] = useState<Base>(() => (note ? baseOf(note) : { draft: EMPTY, revision: "" }));
  const [draft, setDraft] = useState(() => (note ? draftOf(note) : begin));
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const create = useCreateNote();
  const update = useUpdateNote();
  const freshNote = useFreshNote();

  const theirs = note ? baseOf(note) : base;
  const unsaved = changesOf(base.draft, draft) !== null;
  const changedElsewhere = !saving && changesOf(base.draft, theirs.draft) !== null;
  const combined = combine(base.draft, draft, theirs.draft);
  const clash = changedElsewhere && combined.clash;
  const goOn = (next: Draft) => {
    setBase(theirs);
    setDraft(next);
  };
  // Nothing of one's own is lost by showing what else the note says now.
  useEffect(() => {
    if (changedElsewhere && !clash) goOn(combined.draft);
  });

  const change = async (noteId: string, from: Base, mine: Draft): Promise<Saved | null> => {
    try {
      if (changesOf(from.draft, mine)) await update.mutateAsync({ noteId, base: from, draft: mine });
      return { noteId, suggestedResource: null, suggestedTags: [] };
    } catch (cause) {
      if (!wasChanged(cause)) throw cause;
    }
    // Somebody was faster: where both changed the same, the page says so, and whoever writes decides.
    const now = baseOf(await freshNote(noteId));
    const both = combine(from.draft, mine, now.draft);
    return both.clash ? null : change(noteId, now, both.draft);
  };
  const write = async (): Promise<Saved | null> => {
    if (note) return change(note.id, base, draft);
    const made = await create.mutateAsync(draft);
    const { suggestedResource, suggestedTags } = made;
    return { noteId: made.note.id, suggestedResource, suggestedTags };
  };
  const save = async (): Promise<Saved | null> => {
    setSaving(true);
    setError(null);
    try {
      const saved = await write();
      if (saved) {
        const kept = baseOf(await freshNote(saved.noteId));
        setBase(kept);
        setDraft((now) => settle(now, draft, kept.draft));
      }
      return saved;
    } catch (cause) {
      setError(cause);
      return null;
    } finally {
      setSaving(false);
    }
  };
  const takeTheirs = () => goOn(theirs.draft);
  const keepMine = () => goOn(combined.draft);
  return { draft, setDraft, unsaved, saving, error, save, clash, takeTheirs, keepMine };
}
