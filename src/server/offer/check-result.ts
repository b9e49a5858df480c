import { check } from '../../protocol/compile/check.ts';
import type { RequestTypes } from '../../protocol/methods.ts';
import { newestRevision } from '../../protocol/revision.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { Types } from '../../protocol/types.ts';
import { isInputRequired } from '../input-required.ts';

/** The results that handlers write, by type. */
interface Written {
  readonly CallToolResult: RequestTypes['tools/call']['result'];
  readonly GetPromptResult: RequestTypes['prompts/get']['result'];
  readonly ReadResourceResult: RequestTypes['resources/read']['result'];
  readonly CompleteResult: RequestTypes['completion/complete']['result'];
  readonly ListResourcesResult: RequestTypes['resources/list']['result'];
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

/**
 * Makes sure that what is listed of a definition is what its type says: many clients read no list that has one wrong entry.
 *
 * @param what Names the definition in the message, such as `prompt "plan"`.
 * @throws TypeError that says where it is not.
 */
export function listable<Type extends 'Tool' | 'Resource' | 'ResourceTemplate' | 'Prompt'>(
  type: Type,
  entry: Types[Type],
  what: string,
): Types[Type] {
  const [problem] = check(newestRevision, type, toWire(newestRevision, type, entry));
  if (problem !== undefined) throw new TypeError(`${what} cannot be listed: ${problem.path} ${problem.message}`);
  return entry;
}
