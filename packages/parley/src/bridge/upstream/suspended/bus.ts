/** Messages that processes exchange about parked calls, when a client comes to another one than holds its call. */

import { parseExactJson } from '../../../json/parse-exact.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import type { ErrorName } from '../../../protocol/error.ts';
import type { LoggingLevel } from '../../../protocol/features/logging.ts';
import type { SuspendedState } from './suspended-call.ts';

/** Interval at which the owner of a call confirms that it still runs, and the silence after which it counts as dead. */
export const beatMs = 5_000;
export const silenceMs = 15_000;

/** Message of a request to the holder of a call. */
export type OwnerMessage =
  | {
      readonly kind: 'take';
      readonly reply: string;
      readonly round: number;
      readonly responses: JsonObject;
      readonly meta: JsonObject;
      readonly logLevel?: LoggingLevel | undefined;
    }
  | { readonly kind: 'leave'; readonly reply: string };

/** Message of the holder to the request. */
export type Reply =
  | { readonly kind: 'alive' }
  /** The call is past the round that the request answers. */
  | { readonly kind: 'past' }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'standing'; readonly standing: SuspendedState }
  | {
      readonly kind: 'error';
      readonly name?: ErrorName | undefined;
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    };

/** Channel on which the holder of a call listens. */
export function channelOf(id: string): string {
  return `parley/parked/${id}`;
}

/** Messages on the bus come from bridges. Anything different is ignored. */
export function read<T extends { readonly kind: string } = OwnerMessage | Reply>(text: string): T | undefined {
  try {
    const value = parseExactJson(text, Number.POSITIVE_INFINITY);
    // Only bridges publish on these channels, and their messages have a kind.
    return isObject(value) && typeof value['kind'] === 'string' ? (value as unknown as T) : undefined;
  } catch {
    return undefined;
  }
}
