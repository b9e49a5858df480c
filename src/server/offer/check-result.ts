import { check } from '../../protocol/compile/check.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { newestRevision } from '../../protocol/revision.ts';
import type { Type } from '../../protocol/shape.ts';
import { isInputRequired } from '../input-required.ts';

/**
 * Makes sure that what a handler returned is what its type says: not every handler is checked by a compiler.
 *
 * @param what Names the handler in the message, such as `tool "add"`.
 * @throws TypeError that says where it is not.
 */
export function sendable<T>(type: Type<T>, result: NoInfer<T>, what: string): T {
  if (isInputRequired(result)) return result;
  const [problem] = check(newestRevision, type, toWire(newestRevision, type, result));
  if (problem !== undefined)
    throw new TypeError(`${what} returned what cannot be sent: ${problem.path} ${problem.message}`);
  return result;
}

/**
 * Makes sure that what is listed of a definition is what its type says: many clients read no list that has one wrong entry.
 *
 * @param what Names the definition in the message, such as `prompt "plan"`.
 * @throws TypeError that says where it is not.
 */
export function listable<T>(type: Type<T>, entry: NoInfer<T>, what: string): T {
  const [problem] = check(newestRevision, type, toWire(newestRevision, type, entry));
  if (problem !== undefined) throw new TypeError(`${what} cannot be listed: ${problem.path} ${problem.message}`);
  return entry;
}
