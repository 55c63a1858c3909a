/** Every text of the page in every language. A feature's texts are in the file of its name. */
import * as activity from "./activity";
import * as connect from "./connect";
import * as documents from "./documents";
import * as knowledge from "./knowledge";
import * as models from "./models";
import * as notes from "./notes";
import * as operations from "./operations";
import * as search from "./search";
import * as session from "./session";
import * as settings from "./settings";
import * as shell from "./shell";
import * as tools from "./tools";
import * as uploads from "./uploads";
import type { Language, NamesOf, Translated, Values } from "./translate";
import * as health from "./health";
import * as welcome from "./welcome";

const en = {
  ...shell.en,
  ...session.en,
  ...settings.en,
  ...knowledge.en,
  ...documents.en,
  ...uploads.en,
  ...search.en,
  ...notes.en,
  ...operations.en,
  ...welcome.en,
  ...models.en,
  ...health.en,
  ...tools.en,
  ...activity.en,
  ...connect.en,
};
const zh: Translated<typeof en> = {
  ...shell.zh,
  ...session.zh,
  ...settings.zh,
  ...knowledge.zh,
  ...documents.zh,
  ...uploads.zh,
  ...search.zh,
  ...notes.zh,
  ...operations.zh,
  ...welcome.zh,
  ...models.zh,
  ...health.zh,
  ...tools.zh,
  ...activity.zh,
  ...connect.zh,
};

export const catalogues: Record<Language, Translated<typeof en>> = { en, zh };
export type MessageKey = keyof typeof en;
type NeededValues<Key extends MessageKey> = NamesOf<(typeof en)[Key]>;
/** Messages with placeholders cannot be shown without their values. */
export type Translate = <Key extends MessageKey>(
  key: Key,
  ...values: [NeededValues<Key>] extends [never] ? [] : [Values & Record<NeededValues<Key>, string | number>]
) => string;
