/** How a tag is written, wherever one is shown or typed: `name=value`, or a bare value for the tag `tag`. */
import type { Schemas } from "../api/client";

type Tag = Schemas["Tag"];

export const BARE = "tag";

export function writeTag({ tagName, tagValue }: Tag): string {
  return tagName === BARE ? tagValue : `${tagName}=${tagValue}`;
}

export function readTag(text: string): Tag {
  const at = text.indexOf("=");
  if (at < 1) return { tagName: BARE, tagValue: text.replace(/^=/, "").trim() };
  return { tagName: text.slice(0, at).trim(), tagValue: text.slice(at + 1).trim() };
}
