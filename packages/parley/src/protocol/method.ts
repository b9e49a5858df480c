/** Rows of methods, and what they say: who sends it, when it lived, what it carries and what it needs. */

import type { PaginatedRequestParams } from './features/envelope.ts';
import type { SubscriptionFilter } from './features/subscriptions.ts';
import { isAlive, type Lifetime } from './lifetime.ts';
import type { Revision } from './revision.ts';
import type { Type, TypeOf } from './shape.ts';

/** One side of a conversation. */
export type Side = 'client' | 'server';

/** Parts of a request, in the newest words. */
export interface RequestOf<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/** Parts of a request for one page of a list; `items` is the field of the result that the entries stand in. */
export interface ListOf<Result, Items extends keyof Result> extends RequestOf<PaginatedRequestParams, Result> {
  readonly items: Items;
}

/** Parts of a request that may be answered with an `InputRequiredResult`. */
export interface AskingOf<Params, Result> extends RequestOf<Params, Result> {
  readonly inputRequired: true;
}

/** Parts of a notification, in the newest words. */
export interface NotificationOf<Params> {
  readonly params: Params;
}

/** Facts of a method in the protocol. */
export interface MethodRow {
  readonly kind: 'request' | 'notification';
  readonly from: Side | 'both';
  /** Side that alone may send it still, of two that could. */
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
  /** True when it may be answered with an `InputRequiredResult`. */
  readonly inputRequired?: true;
  /**
   * Trace that a request leaves in a server, if any: `once` is what a second one does not change. Absent where it may
   * do more.
   */
  readonly leaves?: 'nothing' | 'once';
  /** The notification after which its result is stale. */
  readonly staleAfter?: `notifications/${string}`;
  /** Of a list: the field of the result that has the entries, and the field of an entry that tells it from the others. */
  readonly list?: { readonly items: string; readonly key: string };
  /** Of what a bridge carries to the server behind it: what a person calls it, in docs/fidelity.md. */
  readonly carried?: { readonly title: string };
  /** Of a notification that a list changed: the list, and what asks for it in the filter of `subscriptions/listen`. */
  readonly tells?: { readonly list: ListedFeature; readonly flag: ListFlag };
  /** The revisions in which it is no message but an entry of `inputRequests`. */
  readonly embedded?: Lifetime;
}

/** A feature that is a list, by the name of its capability. */
export type ListedFeature = 'tools' | 'prompts' | 'resources';

/** The field of a `SubscriptionFilter` that asks for the changes of a list. */
export type ListFlag = Extract<keyof SubscriptionFilter, `${string}ListChanged`>;

/** The rows of some methods; the compiler holds the types of each row to those that stand beside its name. */
export type MethodRows<Methods> = { readonly [Method in keyof Methods]: MethodRowOf<Methods[Method]> };

/** The row of a method that carries this. */
export type MethodRowOf<Carried> = MethodRow &
  (Carried extends RequestOf<infer Params, infer Result>
    ? {
        readonly kind: 'request';
        readonly params: TypeOf<Params>;
        readonly result: TypeOf<Result>;
      } & ListRow<Carried> &
        AskingRow<Carried>
    : Carried extends NotificationOf<infer Params>
      ? { readonly kind: 'notification'; readonly params: TypeOf<Params>; readonly result?: never }
      : never);

type ListRow<Carried> =
  Carried extends ListOf<infer Result, infer Items>
    ? { readonly list: { readonly items: Items; readonly key: EntryKey<Result[Items]> } }
    : { readonly list?: never };

type EntryKey<Entries> = Entries extends readonly (infer Entry)[] ? keyof Entry & string : never;

type AskingRow<Carried> =
  Carried extends AskingOf<infer _Params, infer _Result>
    ? { readonly inputRequired: true }
    : { readonly inputRequired?: never };

/** Tells whether a side may send a method as a message of its own in a revision. */
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
