/**
 * A tool whose argument's header name changes when the tool is called: a client with the old list is rejected, and
 * finds the new one.
 */

import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { decodeHeaderValue, headerValueOf } from '../../../../parley/src/connection/header.ts';
import type { HeardHead } from './client-rule.ts';

/** Name of the tool. */
export const movingTool = 'moving';

/** State of the tool in a conversation. */
export class MovingTool {
  /** Version of its schema: the second from the first call on. */
  #version = 1;
  /** Moment at which a call was refused first; `undefined` for none. */
  #refusedAt: number | undefined;
  /** True where tools were listed since a call was refused last. */
  #isListed = false;
  /** True where tools were listed since a call was refused first. */
  wasListed = false;
  /** Calls by an old header, each of which came after tools were listed that followed a refusal. */
  stale = 0;
  /** True when a call came by the new header. */
  isMoved = false;
  /** Number of times that a client began: where there are no sessions, more than one may be several clients, one of which listed what another calls. */
  begun = 0;
  /** Longest time after the first refusal at which something was asked for, in milliseconds. */
  later = 0;

  get isRefused(): boolean {
    return this.#refusedAt !== undefined;
  }

  get #header(): string {
    return `Place-${this.#version}`;
  }

  /** The tool as it is listed now. */
  view(): JsonObject {
    return {
      name: movingTool,
      description: 'Has an argument that travels in a header, whose name changes.',
      inputSchema: { type: 'object', properties: { place: { type: 'string', 'x-mcp-header': this.#header } } },
    };
  }

  /** The page that it stands on was listed. */
  listed(): void {
    this.#isListed = true;
    if (this.isRefused) this.wasListed = true;
  }

  /** Something was asked for. */
  passed({ method }: JsonObject): void {
    if (method === 'server/discover') this.begun++;
    if (this.#refusedAt !== undefined) this.later = Math.max(this.later, monotonicNow() - this.#refusedAt);
  }

  /** Tells whether a call says its argument in the header that it has now. */
  #isMirrored(given: unknown, { headers }: HeardHead): boolean {
    const said = headers[`mcp-param-${this.#header.toLowerCase()}`];
    return (said === undefined ? undefined : decodeHeaderValue(said)) === headerValueOf(given, ['place']);
  }

  /** Takes a call. @param given Its arguments. @returns False where it is refused. */
  called(given: unknown, http: HeardHead): boolean {
    // Without the argument there is nothing to say in a header.
    if (!isObject(given) || typeof given['place'] !== 'string') return true;
    const isFirst = this.#version === 1;
    if (isFirst) this.#version = 2;
    if (!isFirst && this.#isMirrored(given, http)) {
      this.isMoved = true;
      return true;
    }
    if (!isFirst && this.isRefused && this.#isListed) this.stale++;
    this.#refusedAt ??= monotonicNow();
    this.#isListed = false;
    return false;
  }
}
