/** Options of proofs of keys. (RFC 9449.) */

import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { refuseOther } from '../../../options/known-values.ts';
import { shown } from '../../../options/shown.ts';
import { asymmetric } from '../issuer-options.ts';

/** Remembers which proofs were used, for one process or for several that share it. */
export interface ReplayStore {
  /**
   * Remembers a proof; asking and remembering are one step.
   *
   * @param expiresAt Until when, in milliseconds since 1970.
   * @returns False when it is there already; `'full'` when it cannot be remembered.
   */
  add(proof: string, expiresAt: number): boolean | 'full' | Promise<boolean | 'full'>;
}

/** Options of proofs; everything may be left out. */
export interface DpopOptions {
  /** True when tokens must be bound to a key; false by default, so that others are taken too. */
  readonly required?: boolean;
  /** Demands that proofs have a nonce of this server, which is good for a minute; false, so that they may be 5 minutes old. */
  readonly nonce?: boolean;
  /** Key that nonces are sealed with: at least 32 bytes that all processes of a server share. One is made for this process by default. */
  readonly nonceKey?: Uint8Array;
  /** Remembers which proofs were used; 100,000 of them in the memory of this process by default. */
  readonly replay?: ReplayStore;
  /** The algorithms of proofs; every asymmetric one by default. */
  readonly algorithms?: readonly string[];
}

/** The options with their defaults. */
export interface DpopSettings {
  readonly required: boolean;
  readonly nonce: boolean;
  readonly nonceKey: Uint8Array | undefined;
  readonly replay: ReplayStore | undefined;
  readonly algorithms: readonly string[];
  /** URL that a proof may be for, beside the origin with the path of the request. */
  readonly resource: URL;
}

const names: Names<DpopOptions> = { required: 1, nonce: 1, nonceKey: 1, replay: 1, algorithms: 1 };

/** @throws TypeError for what makes no sense. */
export function resolveDpop(given: DpopOptions | boolean | undefined, resource: URL): DpopSettings | undefined {
  if (given === undefined || given === false) return undefined;
  const options = given === true ? {} : given;
  refuseUnknown('dpop', options, names);
  for (const name of ['required', 'nonce'] as const) refuseOther('boolean', `dpop.${name}`, options[name]);
  const { required = false, nonce = false, nonceKey, replay, algorithms = asymmetric } = options;
  const odd = algorithms.find((name) => !asymmetric.includes(name));
  // RFC 9449, section 4.3: `none` and symmetric algorithms are not allowed.
  if (odd !== undefined || algorithms.length === 0)
    throw new TypeError(`dpop.algorithms may hold ${asymmetric.join(', ')}; not ${shown(odd)}`);
  if (nonceKey !== undefined && !(nonceKey instanceof Uint8Array && nonceKey.byteLength >= 32))
    throw new TypeError('dpop.nonceKey must be at least 32 bytes');
  if (replay !== undefined) refuseOther('function', 'dpop.replay.add', replay.add ?? null);
  return { required, nonce, nonceKey, replay, algorithms, resource };
}
