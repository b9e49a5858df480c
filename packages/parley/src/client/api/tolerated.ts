import { isObject } from '../../jsonrpc/message.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Lenience } from '../../protocol/compile/from-wire.ts';

/** An entry of a list that is malformed. */
export interface MalformedEntry {
  /** Its name, as far as it has one. */
  readonly name: string;
  readonly why: string;
}

/** Number of warnings that are remembered. */
const most = 1_000;
const maxNameLength = 100;

/** Faults in the results of a server that are put up with; each is a warning once. */
export class ToleratedFaults {
  readonly #warned = new Set<string>();
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  warn(message: string): void {
    if (this.#warned.has(message) || this.#warned.size >= most) return;
    this.#warned.add(message);
    this.#warn(message);
  }

  /**
   * Reads a result leniently.
   *
   * @param fate What happens to malformed entries of a list, for the warning. `kept` means that they are kept.
   * @param hear Receives each such entry.
   * @param how True values: such entries are kept whatever `fate` says; another listener warns of them.
   */
  in(
    method: string,
    fate: string = 'left out',
    hear?: (entry: MalformedEntry) => void,
    { keeps = fate === 'kept', quiet = false }: { readonly keeps?: boolean; readonly quiet?: boolean } = {},
  ): Lenience {
    return {
      entry: (value, why) => {
        const entry = { name: nameIn(method, value), why };
        hear?.(entry);
        if (!quiet) this.warn(`${method}: ${entry.name} is malformed and ${fate}: ${why}`);
        return keeps;
      },
      absent: (field) => this.warn(`a result of ${method} has no ${field}, which counts as empty`),
    };
  }

  /** A list names a page as its next that it has given already. */
  repeats(method: string): void {
    this.warn(`${method}: the list ends where it repeats a cursor`);
  }
}

/** The name of a list entry, in the field that its method's row names. */
function nameIn(method: string, value: unknown): string {
  const key = methodOf(method)?.list?.key;
  const name = isObject(value) && key !== undefined ? (value[key] ?? value['name']) : undefined;
  return typeof name === 'string' ? JSON.stringify(name.slice(0, maxNameLength)) : 'an entry without a name';
}
