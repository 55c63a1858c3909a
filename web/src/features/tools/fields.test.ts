import { describe, expect, it } from "vitest";
import { argumentsOf, brokenJson, fieldsOf } from "./fields";

const optional = (type: object) => ({ anyOf: [type, { type: "null" }], default: null });
const schema = {
  required: ["query", "sure"],
  $defs: { Tone: { enum: ["plain", "formal"], type: "string" }, Block: { type: "object" } },
  properties: {
    query: { type: "string", description: "A question." },
    num_results: { type: "integer", default: 5, minimum: 1, maximum: 20 },
    sure: { type: "boolean" },
    replace: { type: "boolean", default: false },
    file_content: optional({ type: "string" }),
    tone: { $ref: "#/$defs/Tone", default: "plain" },
    tags: optional({ type: "array", items: { type: "string" } }),
    blocks: { type: "array", items: { $ref: "#/$defs/Block" } },
    content: optional({ type: "string" }),
  },
};
const fields = fieldsOf(schema);

describe("a form from a JSON schema", () => {
  it("has a field of the right kind for each argument", () => {
    expect(Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))).toEqual({
      query: "text",
      num_results: "number",
      sure: "boolean",
      replace: "boolean",
      file_content: "file",
      tone: "choice",
      tags: "list",
      blocks: "json",
      content: "longText",
    });
    expect(fields[0]).toMatchObject({ required: true, description: "A question.", byDefault: null });
    expect(fields[1]).toMatchObject({ required: false, byDefault: "5", whole: true, min: 1, max: 20 });
    expect(fields.find(({ name }) => name === "tone")?.choices).toEqual(["plain", "formal"]);
  });

  it("sends only what was filled in", () => {
    expect(argumentsOf(fields, { query: "oaks", num_results: "", tags: [], blocks: "" })).toEqual({
      query: "oaks",
      sure: false,
    });
    expect(argumentsOf(fields, { query: "", num_results: 3, replace: false, blocks: '[{"type":"text"}]' })).toEqual({
      num_results: 3,
      sure: false,
      replace: false,
      blocks: [{ type: "text" }],
    });
  });

  it("tells which JSON is broken before anything is sent", () => {
    expect(brokenJson(fields, { query: "{", blocks: "[{" })).toEqual(["blocks"]);
    expect(brokenJson(fields, { blocks: "" })).toEqual([]);
  });
});
