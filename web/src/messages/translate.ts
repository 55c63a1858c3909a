/** `t("key", {values})`: typed keys, typed values, plurals by the language's own rules. */
export type Language = "en" | "zh";
/** One text, or one per plural form; which one is chosen by `{count}`. */
export type Message = string | { readonly one?: string; readonly other: string };
export type Values = Record<string, string | number>;

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
export type NamesOf<M> = M extends string ? NamesIn<M> : NamesIn<M[keyof M]> | "count";

/** The same keys in another language, whatever that language's plural forms are. */
export type Translated<Catalogue> = { readonly [Key in keyof Catalogue]: Message };

export function format(message: Message, language: Language, values: Values = {}): string {
  const text = typeof message === "string" ? message : pluralForm(message, language, Number(values.count));
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value;
  });
}

function pluralForm(forms: Exclude<Message, string>, language: Language, count: number): string {
  const form = new Intl.PluralRules(language).select(count);
  return (form === "one" && forms.one) || forms.other;
}
