import { isObject } from '../../jsonrpc/message.ts';
import { ConfigProblem, expand, told, variablesIn } from './expand.ts';
import type { Io } from '../io.ts';

/** The keys of a configuration, read one by one: what is wrong is named by its path. */
export class Keys {
  readonly path: readonly string[];
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #env: Io['env'];
  readonly #read = new Set<string>();

  /** @throws ConfigProblem when the value is no object. */
  constructor(value: unknown, path: readonly string[], env: Io['env']) {
    if (!isObject(value)) throw new ConfigProblem(path, `must be an object, not ${jsonKindOf(value)}`);
    this.path = path;
    this.#fields = value;
    this.#env = env;
  }

  /** The keys that nothing asked for. */
  get unread(): readonly string[] {
    return Object.keys(this.#fields).filter((key) => !this.#read.has(key));
  }

  value(key: string): unknown {
    this.#read.add(key);
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  at(...keys: readonly string[]): readonly string[] {
    return [...this.path, ...keys];
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

  /** The values of the variables that texts name, by their names. */
  variables(...texts: readonly string[]): Readonly<Record<string, string>> {
    return variablesIn(texts.join(' '), this.#env);
  }

  /** A text with the variables in it. */
  expanded(key: string): string | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : expand(text, this.at(key), this.#env);
  }

  flag(key: string): boolean {
    const value = this.value(key) ?? false;
    if (typeof value !== 'boolean')
      throw new ConfigProblem(this.at(key), `must be true or false, not ${jsonKindOf(value)}`);
    return value;
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
      if (typeof one === 'string') return one;
      throw new ConfigProblem(this.at(key, String(index)), `must be a text, not ${jsonKindOf(one)}`);
    });
  }

  /** Texts with the variables in them. */
  expandedTexts(key: string): readonly string[] {
    const texts = this.texts(key) ?? [];
    return texts.map((text, index) => expand(text, this.at(key, String(index)), this.#env));
  }

  /** Texts by name, with the variables in them; they may be secrets, and are in no message. */
  secrets(key: string): Readonly<Record<string, string>> {
    const value = this.value(key) ?? {};
    if (!isObject(value)) throw new ConfigProblem(this.at(key), `must be an object, not ${jsonKindOf(value)}`);
    const entries = Object.entries(value).map(([name, text]): [string, string] => {
      if (typeof text !== 'string')
        throw new ConfigProblem(this.at(key, name), `must be a text, not ${jsonKindOf(text)}`);
      return [name, expand(text, this.at(key, name), this.#env)];
    });
    return Object.fromEntries(entries);
  }
}

/** Kind of a value, since the value itself may be a secret. */
export function jsonKindOf(value: unknown): string {
  if (value === null) return 'null';
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
