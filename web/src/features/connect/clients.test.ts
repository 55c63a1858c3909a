import { describe, expect, it } from "vitest";
import { asClient, CLIENTS, configurationOf } from "./clients";

describe("the configuration of a client", () => {
  it("holds the address and the key for each of them", () => {
    for (const client of CLIENTS) {
      const text = configurationOf(client, "http://127.0.0.1:8700", "pk_a_b")
        .map((part) => part.text)
        .join("\n");
      expect(text).toContain("http://127.0.0.1:8700");
      expect(text).toContain("pk_a_b");
    }
  });

  it("is JSON where a program reads JSON", () => {
    for (const client of ["claudeDesktop", "cursor", "vscode"] as const) {
      const [part] = configurationOf(client, "https://pinakes.example", "pk_a_b");
      expect(JSON.parse(part?.text ?? "")).toBeTypeOf("object");
    }
  });

  it("is there for an address that names no client", () => {
    expect(asClient("nobody")).toBe("claudeDesktop");
    expect(asClient("codex")).toBe("codex");
  });
});
