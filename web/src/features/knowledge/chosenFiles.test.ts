import { describe, expect, it } from "vitest";
import { readAddresses, readEntries } from "./chosenFiles";

const file = (name: string): FileSystemFileEntry =>
  ({ name, isFile: true, file: (found: (file: File) => void) => found(new File(["x"], name)) }) as never;

/** A folder that hands out its entries two at a time, as browsers do by the hundred. */
const folder = (name: string, ...below: FileSystemEntry[]): FileSystemDirectoryEntry =>
  ({
    name,
    isFile: false,
    createReader: () => {
      const left = [...below];
      return { readEntries: (found: (batch: FileSystemEntry[]) => void) => found(left.splice(0, 2)) };
    },
  }) as never;

const names = async (...entries: FileSystemEntry[]) => (await readEntries(entries)).map(({ name }) => name);

describe("dropped files", () => {
  it("are all found, however deep and many", async () => {
    const papers = folder("papers", file("a.md"), file("b.md"), file("c.md"), folder("2024", file("d.md")));
    expect(await names(papers)).toEqual(["a.md", "b.md", "c.md", "2024 › d.md"]);
  });

  it("keep the folder in their name where there are several", async () => {
    const found = await names(folder("x", file("readme.md")), folder("y", file("readme.md")), file("z.md"));
    expect(found).toEqual(["x › readme.md", "y › readme.md", "z.md"]);
  });

  it("of a folder come by their names, those beside it where they were", async () => {
    const logs = folder("logs", file("log-10.txt"), folder("old", file("b.txt")), file("log-9.txt"));
    expect(await names(file("z.md"), logs, file("a.md"))).toEqual([
      "z.md",
      "logs › log-9.txt",
      "logs › log-10.txt",
      "logs › old › b.txt",
      "a.md",
    ]);
  });

  it("leave out what nobody means", async () => {
    const clutter = [file(".DS_Store"), file("Thumbs.db"), folder(".git", file("HEAD")), folder("__MACOSX", file("a"))];
    expect(await names(folder("papers", ...clutter, file("a.md")))).toEqual(["a.md"]);
    expect(await names(folder("empty"))).toEqual([]);
  });
});

describe("addresses", () => {
  it("are read one a line, each once", () => {
    expect(readAddresses("https://a.example/x\n\n http://b.example \nhttps://a.example/x")).toEqual({
      addresses: ["https://a.example/x", "http://b.example"],
      bad: null,
    });
  });

  it("must be of the web", () => {
    for (const bad of ["ftp://a.example", "a.example", "https://", "javascript:alert(1)", "https://a.example b"]) {
      expect(readAddresses(`https://a.example\n${bad}`).bad).toBe(bad);
    }
  });
});
