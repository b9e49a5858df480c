/** Requests more scopes, with a limit. (Spec 2025-11-25, Step-Up Authorization Flow.) */

import { setNewest } from '../../jsonrpc/newest.ts';
import type { RequestAbout } from '../common/authorizer.ts';
import { AuthorizationError } from '../common/errors.ts';
import { missingOf, unionOf } from '../common/scopes.ts';
import type { Grant } from './grant.ts';

const maxTimes = 2;
const windowMs = 10 * 60_000;
const maxRemembered = 1_000;

/** Remembers recent requests for scopes of one resource. */
export class StepUps {
  readonly #times = new Map<string, readonly number[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The scopes to request after a request was rejected because it lacks some.
   *
   * @throws AuthorizationError `insufficient-scope` if a request cannot help, or was made too often.
   */
  wanted(grant: Grant, challenged: readonly string[], { method = '', name = '' }: RequestAbout): readonly string[] {
    const { resource, endpoints } = grant;
    const error = (words: string): AuthorizationError =>
      new AuthorizationError('insufficient-scope', words, { issuer: endpoints.issuer, resource, scopes: challenged });
    const what = `${method === '' ? 'the request' : method}${name === '' ? '' : ` of ${name}`}`;
    const missing = missingOf(challenged, grant.scopes);
    if (missing.length === 0)
      throw error(
        challenged.length === 0
          ? `${what} needs scopes that the server does not name`
          : `${what} was refused because it lacks the scopes ${challenged.join(' ')}, which were granted: ask the operator of the server`,
      );
    const lately = this.#lately(keyOf(resource, method, name));
    if (lately.length >= maxTimes || (lately.length > 0 && missingOf(missing, grant.requested).length === 0))
      throw error(
        `${what} needs the scopes ${missing.join(' ')}, which were asked for and not granted; try again in ${windowMs / 60_000} minutes, or with another account`,
      );
    return unionOf(grant.requested, challenged);
  }

  /** Notes that they are asked for now. */
  note({ resource }: Grant, { method = '', name = '' }: RequestAbout): void {
    const key = keyOf(resource, method, name);
    const lately = this.#lately(key);
    setNewest(this.#times, maxRemembered, [key, [...lately, this.#now()]]);
  }

  #lately(key: string): readonly number[] {
    // The clock may have been set back since.
    return (this.#times.get(key) ?? []).filter((time) => Math.abs(this.#now() - time) < windowMs);
  }
}

function keyOf(resource: string, method: string, name: string): string {
  return JSON.stringify([resource, method, name]);
}
