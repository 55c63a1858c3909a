/** A form from a JSON schema: what a person can fill in, and the arguments that it makes. */
type Schema = Record<string, unknown>;
export type Kind = "text" | "longText" | "number" | "boolean" | "choice" | "list" | "json" | "file" | "catalog";
export type Field = {
  name: string;
  kind: Kind;
  description: string;
  required: boolean;
  byDefault: string | null;
  choices: string[];
  whole: boolean;
  min?: number;
  max?: number;
  maxLength?: number;
};
export type Values = Record<string, unknown>;

const LONG = /^(content|text|markdown|body|notes?)$/;
const LONG_TEXT = 2_000;

/** The fields of a tool's arguments, in the order of its schema. */
export function fieldsOf(schema: Schema): Field[] {
  const required = (schema.required as string[] | undefined) ?? [];
  const properties = (schema.properties as Record<string, Schema> | undefined) ?? {};
  return Object.entries(properties).map(([name, given]) => {
    const type = typeOf(given, schema);
    const kind = kindOf(name, type, schema);
    return {
      name,
      kind,
      description: String(given.description ?? type.description ?? ""),
      required: required.includes(name),
      byDefault: defaultOf(given, kind),
      choices: ((type.enum as unknown[] | undefined) ?? []).map(String),
      whole: type.type === "integer",
      min: number(type.minimum),
      max: number(type.maximum),
      maxLength: number(type.maxLength),
    };
  });
}

/** The arguments to send: only what was filled in. Throws a SyntaxError where JSON is asked for and not given. */
export function argumentsOf(fields: Field[], values: Values): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const { name, kind, required } of fields) {
    const value = values[name];
    if (kind === "boolean") {
      if (value !== undefined || required) filled[name] = value === true;
    } else if (!isEmpty(value)) {
      filled[name] = kind === "json" ? JSON.parse(String(value)) : value;
    }
  }
  return filled;
}

/** The names of the fields whose JSON is none. */
export function brokenJson(fields: Field[], values: Values): string[] {
  return fields
    .filter(({ name, kind }) => kind === "json" && !isEmpty(values[name]) && !isJson(String(values[name])))
    .map(({ name }) => name);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** What a schema really says, past references and the null that an optional argument may be. */
function typeOf(given: Schema, root: Schema): Schema {
  if (typeof given.$ref === "string") {
    const name = given.$ref.split("/").pop() ?? "";
    return typeOf((root.$defs as Record<string, Schema> | undefined)?.[name] ?? {}, root);
  }
  const several = (given.anyOf ?? given.oneOf ?? given.allOf) as Schema[] | undefined;
  if (!several) return given;
  const real = several.map((one) => typeOf(one, root)).filter(({ type }) => type !== "null");
  if (real.length === 1) return real[0] ?? {};
  return real.find(({ type }) => type === "string") ?? {};
}

function kindOf(name: string, type: Schema, root: Schema): Kind {
  if (type.enum) return "choice";
  if (type.type === "boolean") return "boolean";
  if (type.type === "integer" || type.type === "number") return "number";
  if (type.type === "array") {
    return typeOf((type.items as Schema | undefined) ?? {}, root).type === "string" ? "list" : "json";
  }
  if (type.type !== "string") return "json";
  if (name === "file_content" || type.contentEncoding === "base64") return "file";
  if (name === "catalog_id") return "catalog";
  return LONG.test(name) || (number(type.maxLength) ?? 0) >= LONG_TEXT ? "longText" : "text";
}

/** A default that is worth telling. */
function defaultOf(given: Schema, kind: Kind): string | null {
  if (kind === "boolean" || kind === "file" || isEmpty(given.default)) return null;
  return typeof given.default === "object" ? null : String(given.default);
}
