/** What is said of a method: who sends it, when it lived, what it carries and what it needs. */

import { isAlive, type Lifetime } from './lifetime.ts';
import type { Revision } from './revision.ts';
import type { Type, TypeOf } from './shape.ts';

/** One side of a conversation. */
export type Side = 'client' | 'server';

/** What a request carries, in the newest words. */
export interface RequestOf<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/** What a notification carries, in the newest words. */
export interface NotificationOf<Params> {
  readonly params: Params;
}

/** What the protocol says of a method. */
export interface MethodRow {
  readonly kind: 'request' | 'notification';
  readonly from: Side | 'both';
  /** Where only one of the two sides may send it still. */
  readonly narrowed?: { readonly from: Side; readonly lifetime: Lifetime };
  /** The revisions in which it is a message of its own. */
  readonly lifetime: Lifetime;
  readonly params: Type;
  /** The result of a request; of a notification there is none. */
  readonly result?: Type;
  /**
   * The path of the capability that the feature belongs to: the server's, but for what the server asks of the
   * client (sampling, roots, elicitation), where it is the client's.
   */
  readonly needs?: string;
  /** The extension that must be declared by both sides, where the method belongs to one. */
  readonly extension?: { readonly id: string; readonly lifetime: Lifetime };
  /** The parameter that HTTP mirrors in `Mcp-Name`. */
  readonly nameParam?: 'name' | 'uri' | 'taskId';
  /** Whether it may be answered with an `InputRequiredResult`. */
  readonly inputRequired?: true;
  /** The revisions in which it is no message but an entry of `inputRequests`. */
  readonly embedded?: Lifetime;
}

/** The rows of some methods; the compiler holds the types of each row to those that stand beside its name. */
export type MethodRows<Methods> = { readonly [Method in keyof Methods]: MethodRowOf<Methods[Method]> };

/** The row of a method that carries this. */
export type MethodRowOf<Carried> = MethodRow &
  (Carried extends RequestOf<infer Params, infer Result>
    ? { readonly kind: 'request'; readonly params: TypeOf<Params>; readonly result: TypeOf<Result> }
    : Carried extends NotificationOf<infer Params>
      ? { readonly kind: 'notification'; readonly params: TypeOf<Params>; readonly result?: never }
      : never);

/** Whether a side may send a method as a message of its own in a revision. */
export function maySend(side: Side, row: MethodRow, revision: Revision): boolean {
  if (!isAlive(row.lifetime, revision)) return false;
  const narrow = row.narrowed !== undefined && isAlive(row.narrowed.lifetime, revision);
  const from = narrow ? row.narrowed.from : row.from;
  return from === 'both' || from === side;
}

/** The extension that a method belongs to in a revision, or `undefined` where it belongs to the core. */
export function extensionOf(row: MethodRow, revision: Revision): string | undefined {
  return row.extension !== undefined && isAlive(row.extension.lifetime, revision) ? row.extension.id : undefined;
}
