/** Which files somebody means who drops or chooses files and folders, and the names their documents get. */
export type ChosenFile = { file: File; name: string };

/** What file managers put beside the files that people mean. */
const CLUTTER = new Set(["__MACOSX", "Thumbs.db", "desktop.ini"]);
/** Between folders and file in a document's name, as the command line and archives have it. */
const FOLDER_MARK = " › ";

const byName = new Intl.Collator(undefined, { numeric: true });

type FoundFile = { file: File; path: string[] };

/** The entries of a drop. They are gone once the event is over, so this must not wait for anything. */
export function entriesOf(transfer: DataTransfer): FileSystemEntry[] {
  return [...transfer.items]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
}

/** Every visible file in what was dropped, folders and what is below them included. */
export async function readEntries(entries: FileSystemEntry[]): Promise<ChosenFile[]> {
  const found: FoundFile[] = [];
  for (const entry of entries) await walk(entry, [], found);
  return nameFiles(found);
}

/** The files of a file dialog; those of a folder carry their path. */
export function readFiles(files: Iterable<File>): ChosenFile[] {
  return nameFiles([...files].map((file) => ({ file, path: (file.webkitRelativePath || file.name).split("/") })));
}

/** One folder's own name says nothing that its files need; among several it tells them apart. */
function nameFiles(found: FoundFile[]): ChosenFile[] {
  const visible = found.filter(({ path }) => !path.some((part) => part.startsWith(".") || CLUTTER.has(part)));
  const roots = new Set(visible.map(({ path }) => path[0]));
  sortWithin(roots, visible);
  const skipped = roots.size === 1 ? 1 : 0;
  return visible.map(({ file, path }) => ({
    file,
    name: (path.length > 1 ? path.slice(skipped) : path).join(FOLDER_MARK),
  }));
}

/** File systems hand out what is in a folder in any order; people look for it by name. */
function sortWithin(roots: Set<string | undefined>, files: FoundFile[]): void {
  const place = new Map([...roots].map((root, index) => [root, index]));
  const rank = ({ path }: FoundFile) => place.get(path[0]) ?? 0;
  const folder = ({ path }: FoundFile) => path.slice(0, -1).join("/");
  files.sort(
    (one, other) =>
      rank(one) - rank(other) ||
      byName.compare(folder(one), folder(other)) ||
      byName.compare(one.file.name, other.file.name),
  );
}

async function walk(entry: FileSystemEntry, above: string[], found: FoundFile[]): Promise<void> {
  const path = [...above, entry.name];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ file, path });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader hands out a hundred entries at a time, and none once there are no more.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return;
    for (const below of batch) await walk(below, path, found);
  }
}

/** Lets somebody choose files, or a folder with everything below it; null where they think better of it. */
export function askForFiles({ folder = false, several = true } = {}): Promise<ChosenFile[] | null> {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = several;
  input.webkitdirectory = folder;
  return new Promise((resolve) => {
    input.addEventListener("change", () => resolve(readFiles(input.files ?? [])));
    input.addEventListener("cancel", () => resolve(null));
    input.click();
  });
}

/** The addresses in a text, one a line, and the first line that is none. */
export function readAddresses(text: string): { addresses: string[]; bad: string | null } {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const bad = lines.find((line) => !/^https?:\/\/[^/\s]\S*$/i.test(line) || !URL.canParse(line)) ?? null;
  return { addresses: [...new Set(lines)], bad };
}
