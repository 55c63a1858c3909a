/** What a knowledge base or a document comes to in a word. */
import type { Document } from "./documentQueries";
import type { KnowledgeBase } from "./queries";

export type KnowledgeBaseStateName = "empty" | "indexing" | "failed" | "switching" | "ready";

/** The one thing to know about a knowledge base: what is going on comes before what went wrong. */
export function stateOf({ stats, switching }: Pick<KnowledgeBase, "stats" | "switching">): KnowledgeBaseStateName {
  if (stats.unfinishedCount > 0) return "indexing";
  if (switching) return "switching";
  if (stats.failedCount > 0) return "failed";
  return stats.documentCount === 0 ? "empty" : "ready";
}

/** What kind of file a document is, as people say it: by the ending of its name, else by its type. */
export function fileKindOf({ name, mediaType }: Pick<Document, "name" | "mediaType">): string {
  const ending = /\.([A-Za-z0-9]{1,5})$/.exec(name)?.[1];
  return (
    ending ??
    mediaType
      .split("/")
      .pop()
      ?.replace(/^(x-|vnd\.)/, "") ??
    ""
  )
    .toUpperCase()
    .slice(0, 8);
}
