/** Questions about a manner and its outcome. */

import { metaKey } from '../../../../parley/src/protocol/meta.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import { answers } from './exchange.ts';
import type { Conventions } from './probe-client.ts';

/** Tells that the response to a request came. Each message is looked at once: a stream may have very many. */
export function untilAnswered(id: unknown): NonNullable<Conventions['until']> {
  let seen = 0;
  return (messages) => {
    const fresh = messages.slice(seen);
    seen = messages.length;
    return fresh.flat().some((one) => answers(one, id));
  };
}

/** Params as they stand in a message, which has none where they are left out. */
export function givenParams(params: Readonly<Record<string, unknown>> | undefined): {
  readonly params?: Readonly<Record<string, unknown>>;
} {
  return params === undefined ? {} : { params };
}

/** Tells whether a manner names another revision than that of the conversation, or none where one should be named. */
export function isElsewhere({ date, clientDescribed }: Revision, conventions: Conventions): boolean {
  if (Object.keys(conventions.headers ?? {}).some((name) => name.toLowerCase() === 'mcp-protocol-version')) return true;
  if (!('meta' in conventions) || clientDescribed === 'once') return false;
  return conventions.meta?.[metaKey.protocolVersion] !== date;
}

/** Tells whether a manner goes on with a stream. */
export function isResuming({ headers = {} }: Conventions): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'last-event-id');
}

/** Holder of the headers of a response. */
interface Headed {
  readonly headers: { readonly 'content-type'?: string | undefined };
}

/**
 * Media type of a response, without parameters and in lower case. (RFC 9110, section 8.3.1: its case is free, with
 * spaces before its parameters.)
 */
export function mediaTypeOf({ headers }: Headed): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Tells whether what came is a stream of events. */
export function isEventStream(headed: Headed): boolean {
  return mediaTypeOf(headed) === 'text/event-stream';
}

/** Tells whether a text looks like a message; it is not parsed, since of a long one a part may be kept. */
export function isMessageText(text: string): boolean {
  return /^\s*[[{]/.test(text) && text.includes('"jsonrpc"');
}
