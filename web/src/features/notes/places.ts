/** The addresses of notes. */
export const NOTES = "/notes";
export const TEMPLATES = "/notes/templates";
/** The same page as for a note that is there already, so that saving the first time takes nobody out of the text. */
export const NEW = "new";
export const NEW_NOTE = `/notes/${NEW}/edit`;
export const noteAt = (noteId: string) => `/notes/${noteId}`;
export const editorOf = (noteId: string) => `/notes/${noteId}/edit`;
