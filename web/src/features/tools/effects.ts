import type { Tool } from "../../api/tools";

export type Effect = "reads" | "writes" | "deletes";

/** What a tool does to knowledge; a choice that it remembers for its caller is none of it. */
export function effectOf(tool: Pick<Tool, "annotations" | "scope">): Effect {
  if (tool.annotations.destructive) return "deletes";
  return tool.scope === "read" ? "reads" : "writes";
}

/** Whether somebody who types this looks for the tool. */
export function isMeant(tool: Pick<Tool, "name" | "title" | "description">, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const told = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase();
  return words.every((word) => told.includes(word));
}
