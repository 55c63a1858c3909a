import { describe, expect, it } from "vitest";
import { catalogues } from "./catalogue";
import { format, type Message } from "./translate";

const texts = (message: Message) => (typeof message === "string" ? [message] : Object.values(message));
const names = (message: Message) => new Set(texts(message).flatMap((text) => text.match(/\{\w+\}/g) ?? []));

describe("messages", () => {
  it("choose the plural form by the language's own rules", () => {
    const forms = { one: "{count} file", other: "{count} files" };
    expect(format(forms, "en", { count: 1 })).toBe("1 file");
    expect(format(forms, "en", { count: 1200 })).toBe("1,200 files");
    expect(format({ other: "{count} 个文件" }, "zh", { count: 1 })).toBe("1 个文件");
  });

  it("have the same placeholders in every language", () => {
    for (const key of Object.keys(catalogues.en) as (keyof typeof catalogues.en)[]) {
      expect(names(catalogues.zh[key]), key).toEqual(names(catalogues.en[key]));
    }
  });

  it("are never empty", () => {
    for (const catalogue of Object.values(catalogues)) {
      for (const [key, message] of Object.entries(catalogue)) {
        expect(
          texts(message).every((text) => text.trim()),
          key,
        ).toBe(true);
      }
    }
  });
});
