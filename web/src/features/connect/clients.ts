/** What each program wants to be told, with the server's address and a key. */
export const CLIENTS = ["claudeDesktop", "claudeCode", "cursor", "vscode", "codex", "mcp", "rest", "python"] as const;
export type Client = (typeof CLIENTS)[number];
export type PartName = "address" | "header" | "list" | "call" | "command" | "file" | "program";
export type Part = { name: PartName; text: string };

export function asClient(value: string | null): Client {
  return CLIENTS.find((client) => client === value) ?? "claudeDesktop";
}

/** What to copy, in parts. */
export function configurationOf(client: Client, origin: string, key: string): Part[] {
  const url = `${origin}/mcp`;
  const headers = { Authorization: `Bearer ${key}` };
  switch (client) {
    case "claudeDesktop":
      // It starts programs and speaks with them; addresses in this file it does not understand.
      return [
        file({
          mcpServers: {
            pinakes: { command: "pinakes", args: ["mcp"], env: { PINAKES_URL: origin, PINAKES_API_KEY: key } },
          },
        }),
      ];
    case "claudeCode":
      return [
        {
          name: "command",
          text: `claude mcp add --transport http pinakes ${url} \\\n  --header "Authorization: Bearer ${key}"`,
        },
      ];
    case "cursor":
      return [file({ mcpServers: { pinakes: { url, headers } } })];
    case "vscode":
      return [file({ servers: { pinakes: { type: "http", url, headers } } })];
    case "codex":
      return [
        {
          name: "file",
          text: `[mcp_servers.pinakes]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${key}" }`,
        },
      ];
    case "mcp":
      return [
        { name: "address", text: url },
        { name: "header", text: `Authorization: Bearer ${key}` },
      ];
    case "rest":
      return [
        { name: "list", text: `curl ${origin}/api/tools \\\n  -H "Authorization: Bearer ${key}"` },
        {
          name: "call",
          text: [
            `curl ${origin}/api/tools/list_catalogs \\`,
            `  -H "Authorization: Bearer ${key}" \\`,
            `  -H "Content-Type: application/json" \\`,
            `  -d '{}'`,
          ].join("\n"),
        },
      ];
    case "python":
      return [{ name: "program", text: python(origin, key) }];
  }
}

function file(content: object): Part {
  return { name: "file", text: JSON.stringify(content, null, 2) };
}

function python(origin: string, key: string): string {
  return `import asyncio

import pinakes


async def main():
    async with pinakes.connect(url="${origin}", key="${key}") as tools:
        answer = await tools.call("list_catalogs")
        print(answer.text)


asyncio.run(main())`;
}
