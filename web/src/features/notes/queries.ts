import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, api, data, type Schemas } from "../../api/client";
import { type Base, changesOf, type Draft } from "./drafts";

export type Note = Schemas["NoteOut"];
export type NoteDetail = Schemas["NoteDetail"];
export type Template = Schemas["TemplateOut"];
export type NoteFilter = { text: string; resource: string | null; tag: string };

export const PAGE_SIZE = 50;

const at = (noteId: string) => ({ params: { path: { noteId } } });
/** Notes are documents: live events make both anew. */
const noteKey = (noteId: string) => ["documents", "note", noteId];

/** A change that makes lists untrue, and which ones. */
function useChange<Input, Output>(change: (input: Input) => Promise<Output>, ...stale: string[]) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(stale.map((first) => queryClient.invalidateQueries({ queryKey: [first] }))),
  });
}

/** One page of notes, the one changed last first. */
export function useNotes({ text, resource, tag }: NoteFilter, page: number) {
  return useQuery({
    queryKey: ["documents", "notes", text, resource, tag, page],
    queryFn: () => {
      const query = {
        q: text || undefined,
        resource: resource ?? undefined,
        tag: tag || undefined,
        limit: PAGE_SIZE,
        offset: (page - 1) * PAGE_SIZE,
      };
      return data(api.GET("/api/notes", { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });
}

const readNote = (noteId: string) => () => data(api.GET("/api/notes/{noteId}", at(noteId)));

export function useNote(noteId: string, enabled = true) {
  return useQuery({ queryKey: noteKey(noteId), queryFn: readNote(noteId), enabled });
}

/** Whether somebody else changed the note before we did. */
export const wasChanged = (cause: unknown) => cause instanceof ApiError && cause.code === "NOTE_CHANGED";

/** The note as it is on the server at this moment. */
export function useFreshNote() {
  const queryClient = useQueryClient();
  return (noteId: string) =>
    queryClient.fetchQuery({ queryKey: noteKey(noteId), queryFn: readNote(noteId), staleTime: 0 });
}

export function useCreateNote() {
  return useChange(
    (draft: Draft) => data(api.POST("/api/notes", { body: { ...draft, contentType: "markdown" } })),
    "documents",
    "knowledge-bases",
  );
}

export function useUpdateNote() {
  return useChange(
    ({ noteId, base, draft }: { noteId: string; base: Base; draft: Draft }) => {
      const changes = { ...changesOf(base.draft, draft), revision: base.revision };
      const body = changes.content === undefined ? changes : { ...changes, contentType: "markdown" as const };
      return data(api.PATCH("/api/notes/{noteId}", { ...at(noteId), body }));
    },
    "documents",
    "knowledge-bases",
  );
}

/** Tags and places are changed where a note is read, too. */
export function useArrangeNote(noteId: string) {
  return useChange(
    (body: { tags?: string[]; resource?: string }) => data(api.PATCH("/api/notes/{noteId}", { ...at(noteId), body })),
    "documents",
    "knowledge-bases",
  );
}

export function useDeleteNote(noteId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => data(api.DELETE("/api/notes/{noteId}", at(noteId))),
    onSuccess: () => {
      // Whoever still shows it must not ask for it again.
      queryClient.removeQueries({ queryKey: noteKey(noteId) });
      void queryClient.invalidateQueries({ queryKey: ["documents", "notes"] });
      void queryClient.invalidateQueries({ queryKey: ["knowledge-bases"] });
    },
  });
}

export function useRetryNote(noteId: string) {
  const params = { path: { documentId: noteId } };
  return useChange(() => data(api.POST("/api/documents/{documentId}/retry", { params })), "documents", "operations");
}

/** Where notes can be: every knowledge base, by its slug. */
export function useResources() {
  return useQuery({
    queryKey: ["knowledge-bases", "resources"],
    queryFn: async () => (await data(api.GET("/api/knowledge-bases", { params: { query: { limit: 500 } } }))).items,
  });
}

export function useCreateResource() {
  return useChange(
    (body: { name: string; description: string }) => data(api.POST("/api/knowledge-bases", { body })),
    "knowledge-bases",
  );
}

export function useTemplates() {
  return useQuery({ queryKey: ["templates"], queryFn: () => data(api.GET("/api/templates")) });
}

export function useCreateTemplate() {
  return useChange((body: Schemas["TemplateIn"]) => data(api.POST("/api/templates", { body })), "templates");
}

export function useDeleteTemplate() {
  return useChange(
    (templateId: string) => data(api.DELETE("/api/templates/{templateId}", { params: { path: { templateId } } })),
    "templates",
  );
}
