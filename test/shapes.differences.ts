/** Where the tables differ from the official schemas on purpose, each with its reason. */

/** Official types that the tables have under another name. */
export const renamed: ReadonlyMap<string, string> = new Map([
  ['ResourceReference', 'ResourceTemplateReference'],
  ['EnumSchema', 'LegacyTitledEnumSchema'],
]);

/** Official types that have no row of their own. */
export const explained: ReadonlyMap<string, string> = new Map([
]);

export const extensionTypes: ReadonlyMap<string, string> = new Map([]);

export const allowed: ReadonlyMap<string, string> = new Map([]);
