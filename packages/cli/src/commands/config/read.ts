import { ExactNumber, plainNumber } from '../../../../parley/src/json/exact-number.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { ConfigProblem, expand, isFile, told, variablesIn, type Variables } from './expand.ts';

/** Names that a key has in files of several hosts, the one that counts first. */
export type Spellings = Readonly<Record<string, readonly string[]>>;

/** The keys of a configuration, read one by one. An error names the path of the invalid value. */
export class ConfigKeys {
  readonly path: readonly string[];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #env: Variables;
  readonly #spellings: Spellings;
  #read = new Set<string>();

  /** @throws ConfigProblem when the value is no object. */
  constructor(value: unknown, path: readonly string[], env: Variables, spellings: Spellings = {}) {
    if (!isObject(value)) throw new ConfigProblem(path, `must be an object, not ${jsonKindOf(value)}`);
    this.path = path;
    this.#fields = value;
    this.#env = env;
    this.#spellings = spellings;
  }

  /** The same keys, whose texts may name further variables. */
  with(more: Variables): ConfigKeys {
    const keys = new ConfigKeys(this.#fields, this.path, { ...this.#env, ...more }, this.#spellings);
    keys.#read = this.#read;
    return keys;
  }

  /** The keys that nothing asked for. */
  get unread(): readonly string[] {
    return Object.keys(this.#fields).filter((key) => !this.#read.has(key) && this.#fields[key] !== null);
  }

  /** The value of a key; `null` counts as absent, as in hosts. */
  value(key: string): unknown {
    const name = this.#nameOf(key);
    this.#read.add(name);
    return this.#has(name) ? plainNumber(this.#fields[name]) : undefined;
  }

  at(key: string, ...keys: readonly string[]): readonly string[] {
    return [...this.path, this.#nameOf(key), ...keys];
  }

  /** The name that a key has in this file. */
  #nameOf(key: string): string {
    return (this.#spellings[key] ?? [key]).find((name) => this.#has(name)) ?? key;
  }

  #has(name: string): boolean {
    return Object.hasOwn(this.#fields, name) && this.#fields[name] !== null;
  }

  /** A text as it stands. */
  text(key: string): string | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw new ConfigProblem(this.at(key), `must be a text, not ${jsonKindOf(value)}`);
    return value;
  }

  /** A text for messages: without the values of variables. */
  told(key: string): string {
    return told(this.text(key) ?? '', this.#env);
  }

  /** Texts for messages: without the values of variables. */
  toldTexts(key: string): readonly string[] {
    return (this.texts(key) ?? []).map((text) => told(text, this.#env));
  }

  /** The contents of the files that texts name: they may be secrets. */
  files(...texts: readonly string[]): readonly string[] {
    const named = Object.entries(this.variables(...texts));
    return named.flatMap(([name, content]) => (isFile(name) ? [content] : []));
  }

  /** The values of the variables and files that texts name, by their names. */
  variables(...texts: readonly string[]): Readonly<Record<string, string>> {
    return variablesIn(texts.join(' '), this.#env);
  }

  /** A text with the variables in it. */
  expanded(key: string): string | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : expand(text, this.at(key), this.#env);
  }

  flag(key: string): boolean {
    return this.setting(key) ?? false;
  }

  /** A flag that may be left out. */
  setting(key: string): boolean | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw new ConfigProblem(this.at(key), `must be true or false, not ${jsonKindOf(value)}`);
  }

  /** One of some words. */
  oneOf<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    const text = this.text(key);
    const word = words.find((one) => one === text);
    if (text !== undefined && word === undefined)
      throw new ConfigProblem(this.at(key), `must be ${words.join(' or ')}, not ${shownValue(text)}`);
    return word;
  }

  /** Texts as they stand. */
  texts(key: string): readonly string[] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value))
      throw new ConfigProblem(this.at(key), `must be a list of texts, not ${jsonKindOf(value)}`);
    return value.map((one: unknown, index) => {
      return textOf(one, this.at(key, String(index)));
    });
  }

  /** Texts with the variables in them, but for those that are left. */
  expandedTexts(key: string, isLeft?: (name: string) => boolean): readonly string[] {
    const texts = this.texts(key) ?? [];
    return texts.map((text, index) => expand(text, this.at(key, String(index)), this.#env, isLeft));
  }

  /** Texts by name as they stand; `null` is left out. */
  textsByName(key: string): Readonly<Record<string, string | undefined>> {
    const value = this.value(key) ?? {};
    if (!isObject(value)) throw new ConfigProblem(this.at(key), `must be an object, not ${jsonKindOf(value)}`);
    const entries = Object.entries(value).map(([name, text]): [string, string | undefined] => [
      name,
      text === null ? undefined : textOf(text, this.at(key, name)),
    ]);
    return Object.fromEntries(entries);
  }

  /** Texts by name, with the variables in them; they may be secrets, and are in no message. */
  secrets(key: string): Readonly<Record<string, string | undefined>> {
    const entries = Object.entries(this.textsByName(key)).map(([name, text]): [string, string | undefined] => {
      // Gemini CLI writes a variable so.
      const [, scheme = '', variable = ''] = /^(\w+ )?\$([A-Z_][A-Z0-9_]*)$/.exec(text ?? '') ?? [];
      const value = this.#env[variable];
      return [name, value === undefined ? text && expand(text, this.at(key, name), this.#env) : `${scheme}${value}`];
    });
    return Object.fromEntries(entries);
  }
}

/** A text, or what people write as a text without its quotes. */
function textOf(value: unknown, path: readonly string[]): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber) return String(value);
  throw new ConfigProblem(path, `must be a text, not ${jsonKindOf(value)}`);
}

/** Kind of a value, since the value itself may be a secret. */
export function jsonKindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'a number';
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'string' ? 'a text' : kind === 'object' ? 'an object' : `a ${kind}`;
}

/** A value that is no secret, for messages. */
export function shownValue(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** A path as a person would write it. */
export function pathOf(keys: readonly string[]): string {
  return keys.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}
