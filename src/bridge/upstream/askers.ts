import type { JsonObject } from '../../protocol/features/common.ts';
import { methodOf } from '../../protocol/catalogue.ts';

const most = 1_000;
const longest = 1_000;

/** Tools, prompts and resources of a server that ask their client, as far as it was seen; the latest of them. */
export class Askers {
  readonly #targets = new Set<string>();

  has(target: string | undefined): boolean {
    return target !== undefined && this.#targets.has(target);
  }

  learn(target: string): void {
    const [oldest] = this.#targets;
    this.#targets.delete(target);
    if (this.#targets.size >= most && oldest !== undefined) this.#targets.delete(oldest);
    this.#targets.add(target);
  }
}

/** Target of a request whose client may be asked meanwhile: the tool, the prompt or the resource. */
export function calledTarget(method: string, params: JsonObject): string | undefined {
  const { inputRequired, nameParam } = methodOf(method) ?? {};
  if (inputRequired === undefined) return undefined;
  const name = nameParam === undefined ? undefined : params[nameParam];
  return `${method} ${typeof name === 'string' ? name : ''}`.slice(0, longest);
}
