/** Checks single callers and uses against restrictions. */

import type { AuthInfo } from '../runtime/request-handler.ts';
import { shown } from '../../options/shown.ts';
import type { Registry } from '../definition/registry.ts';
import { askRule, type Restrictions } from '../definition/restrictions.ts';

/** The scopes that functions gave so far: a challenge names those that its caller has. */
const givenScopes = new WeakMap<object, Set<string>>();

/** The most scopes of one function that are remembered. */
const maxGiven = 256;

/**
 * Tells whether a caller may see an item with restrictions.
 *
 * @throws TypeError for a return value that no compiler would accept, such as a promise. Otherwise it would silently
 * hide the item from every caller.
 */
export function isVisible({ visible }: Restrictions, auth: AuthInfo | undefined): boolean {
  const answer: unknown = visible === undefined || askRule(visible, auth);
  if (typeof answer !== 'boolean' && Boolean(answer)) throw new TypeError('visible must give true or false at once');
  return answer === true;
}

/** Tells whether an entry belongs into a list for a caller. A rule that fails hides its own entry only, and is reported. */
export function isListed(
  registry: Pick<Registry<unknown>, 'ruleFailed'>,
  restrictions: Restrictions,
  auth: AuthInfo | undefined,
): boolean {
  try {
    return isVisible(restrictions, auth);
  } catch (error) {
    registry.ruleFailed(error);
    return false;
  }
}

/**
 * The scopes that one use needs.
 *
 * @throws TypeError if a function does not return a list. Then every caller is refused.
 */
export function neededScopes({ scopes = [] }: Restrictions, args: unknown): readonly string[] {
  if (typeof scopes !== 'function') return scopes;
  // The arguments are those of the definition that the function belongs to.
  const needed: unknown = scopes(args as never);
  if (!Array.isArray(needed)) throw new TypeError(`scopes must give a list at once, not ${shown(needed)}`);
  const given = givenScopes.get(scopes) ?? new Set();
  givenScopes.set(scopes, given);
  for (const scope of needed) if (given.size < maxGiven) given.add(String(scope));
  return needed as readonly string[];
}

/** Lists the scopes that restrictions are known to want. */
export function knownScopes({ scopes = [] }: Restrictions): Iterable<string> {
  return typeof scopes === 'function' ? (givenScopes.get(scopes) ?? []) : scopes;
}
