/** Restrictions of what a server offers, as its definitions say. */

import type { AuthInfo } from '../runtime/request-handler.ts';
import { isLater } from '../../storage/maybe-promise.ts';

/** A rule of who sees something. */
export type Visible = (auth: AuthInfo | undefined) => boolean;

/** Scopes that something needs of its caller: a list, or what gives it for the arguments of one use. */
export type NeededScopes = readonly string[] | ((args: never) => readonly string[]);

/** The part of a definition that controls who may see and use it. Without it, there are no restrictions. */
export interface Restrictions {
  readonly visible?: Visible | undefined;
  readonly scopes?: NeededScopes | undefined;
}

/** Runs a rule. A rule that returns a promise is a mistake. It must not end the process if the promise rejects. */
export function askRule(visible: Visible, auth: AuthInfo | undefined): unknown {
  const answer: unknown = visible(auth);
  if (isLater(answer)) Promise.resolve(answer).catch(() => undefined);
  return answer;
}
