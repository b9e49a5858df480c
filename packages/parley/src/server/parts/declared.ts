import { extensionProblem, type Extensions } from '../../protocol/extension.ts';
import type { JsonObject } from '../../protocol/features/common.ts';

/** The extensions that a server declares. */
export class Declared {
  #all: Extensions = {};

  /** @throws TypeError for an invalid id, or for settings that are not an object. */
  constructor(extensions: Extensions) {
    for (const [id, settings] of Object.entries(extensions)) this.add(id, settings);
  }

  /** All of them: the same object until one is added. */
  get all(): Extensions {
    return this.#all;
  }

  has(id: string): boolean {
    return Object.hasOwn(this.#all, id);
  }

  /** @throws TypeError for an invalid or declared id, or for settings that are not an object. */
  add(id: string, settings: JsonObject): void {
    const problem = extensionProblem(id, settings);
    if (problem !== undefined) throw new TypeError(`extensions: ${problem}`);
    if (this.has(id)) throw new TypeError(`the extension ${JSON.stringify(id)} is declared already`);
    this.#all = { ...this.#all, [id]: settings };
  }
}
