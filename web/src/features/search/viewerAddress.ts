/** Where a document is opened at a passage; the search it was found by goes along, for the way back and onwards. */
export function viewerAddress(documentId: string, chunkId: string, search?: URLSearchParams): string {
  const parameters = new URLSearchParams({ chunk: chunkId });
  if (search?.size) parameters.set("search", search.toString());
  return `/documents/${encodeURIComponent(documentId)}/view?${parameters}`;
}
