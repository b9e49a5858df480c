import { check } from '../protocol/check.ts';
import type { RequestTypes } from '../protocol/methods.ts';
import { newestRevision } from '../protocol/revision.ts';
import { toWire } from '../protocol/to-wire.ts';
import { isInputRequired } from './input-required.ts';

/** The results that handlers write, by type. */
interface Written {
  readonly CallToolResult: RequestTypes['tools/call']['result'];
  readonly GetPromptResult: RequestTypes['prompts/get']['result'];
  readonly ReadResourceResult: RequestTypes['resources/read']['result'];
}

/**
 * Makes sure that what a handler returned is what its type says: not every handler is checked by a compiler.
 *
 * @param what Names the handler in the message, such as `tool "add"`.
 * @throws TypeError that says where it is not.
 */
export function sendable<Type extends keyof Written>(type: Type, result: Written[Type], what: string): Written[Type] {
  if (isInputRequired(result)) return result;
  // The result is of the type that stands beside it; the compiler cannot follow the key that both share.
  const [problem] = check(newestRevision, type, toWire(newestRevision, type, result as never));
  if (problem !== undefined)
    throw new TypeError(`${what} returned what cannot be sent: ${problem.path} ${problem.message}`);
  return result;
}
