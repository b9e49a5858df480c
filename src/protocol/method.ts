/** Every method of the protocol: who sends it, when it lived, what it carries and what it needs. */

import { completionMethods } from './features/completion.ts';
import { elicitationMethods } from './features/elicitation.ts';
import { lifecycleMethods } from './features/lifecycle.ts';
import { isAlive, type Lifetime } from './lifetime.ts';
import { loggingMethods } from './features/logging.ts';
import type { Method } from './methods.ts';
import { promptMethods } from './features/prompts.ts';
import { resourceMethods } from './features/resources.ts';
import type { Revision } from './revision.ts';
import { rootMethods } from './features/roots.ts';
import { samplingMethods } from './features/sampling.ts';
import { subscriptionMethods } from './features/subscriptions.ts';
import { taskMethods } from './features/tasks.ts';
import { toolMethods } from './features/tools.ts';
import type { TypeName } from './types.ts';

/** One side of a conversation. */
export type Side = 'client' | 'server';

/** What the protocol says of a method. */
export interface MethodRow {
  readonly kind: 'request' | 'notification';
  readonly from: Side | 'both';
  /** Where only one of the two sides may send it still. */
  readonly narrowed?: { readonly from: Side; readonly lifetime: Lifetime };
  /** The revisions in which it is a message of its own. */
  readonly lifetime: Lifetime;
  readonly params?: TypeName;
  /** The result of a request; of a notification there is none. */
  readonly result?: TypeName;
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

/** Rows by method. */
export type Methods = Readonly<Record<string, MethodRow>>;

const rows: ReadonlyMap<string, MethodRow> = new Map(
  [
    lifecycleMethods,
    toolMethods,
    resourceMethods,
    promptMethods,
    completionMethods,
    loggingMethods,
    samplingMethods,
    elicitationMethods,
    rootMethods,
    subscriptionMethods,
    taskMethods,
  ].flatMap((methods) => Object.entries(methods)),
);

/** The name of every method, in no special order. */
// The feature tables hold exactly the methods of `MethodTypes`; a test compares them.
export const methodNames: readonly Method[] = [...rows.keys()] as Method[];

/** The row of a method; a name that the protocol never had gives `undefined`. */
export function methodOf(method: string): MethodRow | undefined {
  return rows.get(method);
}

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
