/** A note while it is being written, and what templates make of it. */
import type { Schemas } from "../../api/client";

export type Draft = { title: string; resource: string | null; tags: string[]; content: string };
/** What was read and is being changed; the server refuses a change of anything else. */
export type Base = { draft: Draft; revision: string };
export const EMPTY: Draft = { title: "", resource: null, tags: [], content: "" };

const BARE = "tag";

/** A tag as people write it: `name=value`, or the value alone. */
export function tagText({ tagName, tagValue }: Schemas["Tag"]): string {
  return tagName === BARE ? tagValue : `${tagName}=${tagValue}`;
}

/** Fields of a browser have one kind of line end; what they are compared with must have it too. */
const plainLines = (text: string) => text.replace(/\r\n?/g, "\n");

export function draftOf(note: Schemas["NoteDetail"]): Draft {
  const { title, resource, tags, content } = note;
  return { title, resource, tags: tags.map(tagText), content: plainLines(content) };
}

export const baseOf = (note: Schemas["NoteDetail"]): Base => ({ draft: draftOf(note), revision: note.revision });

const sameTags = (one: string[], other: string[]) => one.toSorted().join("\n") === other.toSorted().join("\n");

/** What of a note was changed; null where nothing was. */
export function changesOf(base: Draft, draft: Draft): Partial<Draft> | null {
  const changes: Partial<Draft> = {};
  if (draft.title !== base.title) changes.title = draft.title;
  if (draft.content !== base.content) changes.content = draft.content;
  if (draft.resource !== base.resource) changes.resource = draft.resource;
  if (!sameTags(base.tags, draft.tags)) changes.tags = draft.tags;
  return Object.keys(changes).length > 0 ? changes : null;
}

/** What two people made of a note, field by field; where both changed the same one, mine stays and `clash` is true. */
export function combine(base: Draft, mine: Draft, theirs: Draft): { draft: Draft; clash: boolean } {
  const changed = changesOf(base, mine) ?? {};
  const changedByThem = changesOf(base, theirs) ?? {};
  const different = changesOf(theirs, mine) ?? {};
  const clash = Object.keys(changed).some((field) => field in changedByThem && field in different);
  return { draft: { ...theirs, ...changed }, clash };
}

const VARIABLE = /\{\{\s*([\p{L}\p{N}_]{1,60})\s*\}\}/gu;

/** A template with everything in its place, in one pass: a value that looks like a variable stays as it is. */
export function fillTemplate(template: Schemas["TemplateOut"], values: Record<string, string>): Draft {
  const fill = (text: string) => text.replace(VARIABLE, (_, name: string) => values[name] ?? "");
  return { title: fill(template.title).trim(), resource: null, tags: template.tags, content: fill(template.content) };
}

/** The day as templates write it, where the reader is. */
export function today(now = new Date()): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
