/** Checks the arguments of a client, for untyped programs. */

import { shown } from '../options/shown.ts';
import type { JsonObject } from '../protocol/features/common.ts';

/** @throws TypeError for a name that is not a string, such as the single object that other clients take. */
export function requiredName(example: string, name: string): string {
  if (typeof name !== 'string') throw new TypeError(`the first argument is a text, as in client.${example}`);
  return name;
}

/** @throws TypeError for arguments of a tool that have no names: a list, a text. */
export function namedOf<Given extends JsonObject | undefined>(given: Given): Given {
  if (typeof (given ?? {}) === 'object' && !Array.isArray(given)) return given;
  throw new TypeError(`arguments of a tool are an object, as in { a: 1 }, not ${shown(given)}`);
}

/** @throws TypeError for arguments of a prompt that are no texts: every server refuses them. */
export function textsOf(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const wrong = Object.keys(given).find((name) => given[name] !== undefined && typeof given[name] !== 'string');
  if (wrong === undefined) return given;
  throw new TypeError(`arguments of a prompt are texts; ${JSON.stringify(wrong)} is ${shown(given[wrong])}`);
}
