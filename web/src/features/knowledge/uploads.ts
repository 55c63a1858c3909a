/** The one queue of this page, and how components see it. */
import { useSyncExternalStore } from "react";
import { chosenWorkspace } from "../../api/workspace";
import { askForFiles, type ChosenFile } from "./chosenFiles";
import type { Document } from "./documentQueries";
import { carrier } from "./uploadCarrier";
import { isUnsent, type Upload } from "./upload";
import { UploadQueue } from "./uploadQueue";

export const uploads = new UploadQueue(carrier);

export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(uploads.subscribe, uploads.list);
}

export function addFiles(kbId: string, files: ChosenFile[], replace = false): void {
  const workspaceId = chosenWorkspace();
  uploads.add(files.map(({ file, name }) => ({ workspaceId, kbId, name, content: { file }, replace })));
}

/** A document is known by its name: whatever the chosen file is called, it takes this one's place. */
export async function replaceDocument(document: Pick<Document, "knowledgeBaseId" | "name">): Promise<void> {
  const [chosen] = (await askForFiles({ several: false })) ?? [];
  if (chosen) addFiles(document.knowledgeBaseId, [{ file: chosen.file, name: document.name }], true);
}

export function addAddresses(kbId: string, addresses: string[]): void {
  const workspaceId = chosenWorkspace();
  uploads.add(addresses.map((url) => ({ workspaceId, kbId, name: url, content: { url } })));
}

// Leaving the page would lose what has not gone out yet; browsers ask in their own words.
globalThis.addEventListener?.("beforeunload", (event) => {
  if (uploads.list().some(isUnsent)) event.preventDefault();
});
