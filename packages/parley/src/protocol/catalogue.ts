/** Every method of the protocol: the rows of the features, put together. */

import { lifecycleMethods, type LifecycleMethods } from './features/lifecycle.ts';
import { toolMethods, type ToolMethods } from './features/tools.ts';
import { resourceMethods, type ResourceMethods } from './features/resources.ts';
import { promptMethods, type PromptMethods } from './features/prompts.ts';
import { completionMethods, type CompletionMethods } from './features/completion.ts';
import { loggingMethods, type LoggingMethods } from './features/logging.ts';
import { samplingMethods, type SamplingMethods } from './features/sampling.ts';
import { elicitationMethods, type ElicitationMethods } from './features/elicitation.ts';
import { rootMethods, type RootMethods } from './features/roots.ts';
import { subscriptionMethods, type SubscriptionMethods } from './features/subscriptions.ts';
import { taskMethods, type TaskMethods } from './features/tasks.ts';
import {
  maySend,
  type AskingOf,
  type ListedFeature,
  type ListFlag,
  type ListOf,
  type MethodRow,
  type MethodRows,
} from './method.ts';
import type { Revision } from './revision.ts';

/** The params and results of every method. */
export interface MethodTypes
  extends
    LifecycleMethods,
    ToolMethods,
    ResourceMethods,
    PromptMethods,
    CompletionMethods,
    LoggingMethods,
    SamplingMethods,
    ElicitationMethods,
    RootMethods,
    SubscriptionMethods,
    TaskMethods {}

/** The name of a method of the protocol. */
export type Method = keyof MethodTypes;

/** The name of a notification. */
export type NotificationMethod = Extract<Method, `notifications/${string}`>;

/** The name of a request. */
export type RequestMethod = Exclude<Method, NotificationMethod>;

/** The parameters and result of every request. */
export type RequestTypes = Pick<MethodTypes, RequestMethod>;

/** The name of a request that its server may answer with a need of input. */
export type InputMethod = {
  [Name in Method]: MethodTypes[Name] extends AskingOf<infer _Params, infer _Result> ? Name : never;
}[Method];

/** The name of a request that gives a list, page by page. */
export type ListMethod = {
  [Name in Method]: MethodTypes[Name] extends ListOf<infer _Result, infer _Items> ? Name : never;
}[Method];

/** The items of the lists of the protocol. */
export type ListItems = { readonly [Name in ListMethod]: EntryOf<MethodTypes[Name]> };

type EntryOf<Carried> =
  Carried extends ListOf<infer Result, infer Items>
    ? Result[Items] extends readonly (infer Entry)[]
      ? Entry
      : never
    : never;

const table: MethodRows<MethodTypes> = {
  ...lifecycleMethods,
  ...toolMethods,
  ...resourceMethods,
  ...promptMethods,
  ...completionMethods,
  ...loggingMethods,
  ...samplingMethods,
  ...elicitationMethods,
  ...rootMethods,
  ...subscriptionMethods,
  ...taskMethods,
};

const rows: ReadonlyMap<string, MethodRow> = new Map<string, MethodRow>(Object.entries(table));

/** The name of every method, feature by feature. */
// The compiler holds the table to exactly these keys.
export const methodNames: readonly Method[] = Object.keys(table) as Method[];

/** The row of a method; a name that the protocol never had gives `undefined`. */
export function methodOf(method: string): MethodRow | undefined {
  return rows.get(method);
}

/** Tells whether a client may ask something in a revision. */
export function mayAsk(revision: Revision, method: string): boolean {
  const row = methodOf(method);
  return row !== undefined && maySend('client', row, revision);
}

/** The methods whose row is such, feature by feature. */
export function methodsWith(holds: (row: MethodRow) => boolean): readonly Method[] {
  return methodNames.filter((method) => holds(table[method]));
}

/** A list whose changes are told. */
export interface ListChange {
  /** The notification that tells of them. */
  readonly method: Method;
  readonly list: ListedFeature;
  /** Field that asks for them in the filter of `subscriptions/listen`. */
  readonly flag: ListFlag;
}

/** The lists whose changes are told. */
export const listChanges: readonly ListChange[] = methodNames.flatMap((method) => {
  const { tells }: MethodRow = table[method];
  return tells === undefined ? [] : [{ method, ...tells }];
});
