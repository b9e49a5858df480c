import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire, type Lenience } from '../../protocol/compile/from-wire.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { RequestMethod, RequestTypes } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Type } from '../../protocol/shape.ts';

/**
 * Converts the result of a method to the newest form.
 *
 * @throws ConnectionError `invalid-message`, with the wrong place, if it is malformed.
 */
export function readResult<Method extends RequestMethod>(
  revision: Revision,
  method: Method,
  result: JsonObject,
  lenience?: Lenience,
): RequestTypes[Method]['result'] {
  const type = methodOf(method)?.result;
  // The row of a method names the type of its result.
  return (
    type === undefined ? result : readResultAs(revision, type, { method, result, lenience })
  ) as RequestTypes[Method]['result'];
}

/** Lifts a result that is of another type than its method's own. */
export function readResultAs<T>(
  revision: Revision,
  type: Type<T>,
  {
    method,
    result,
    lenience,
  }: { readonly method: string; readonly result: JsonObject; readonly lenience?: Lenience | undefined },
): T {
  try {
    return fromWire(revision, type, result, lenience);
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    throw new ConnectionError('invalid-message', `the result of ${method} is malformed: ${cause.message}`, { cause });
  }
}
