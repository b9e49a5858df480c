/** State of a server that travels through a client of a bridge which knows its clients: sealed for who got it. */

import { bindingOf } from '../server/runtime/input/request-state.ts';
import { invalidState } from '../server/runtime/input/refused-state.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import type { Seal } from '../sealing/seal.ts';
import type { ForwardedCall } from './upstream/forwarded-call.ts';

/** Parts that guarding needs. */
export interface StateSeal {
  readonly seal: Seal;
  /** Name of the server among several; empty for the only one. */
  readonly member: string;
}

/** The longest state of a server that is carried, in characters; those of servers of ours are shorter. */
const maxStateLength = 256 * 1024;
/**
 * No state that was sealed here is longer: an escaped character takes at most six bytes, and a byte takes four thirds
 * of a character.
 */
const maxSealedLength = 8 * maxStateLength + 1024;

/**
 * The server sees all clients as one, so it cannot tell whose state comes back. The bridge checks that. (Spec
 * 2026-07-28, MRTR, Server requirements: a state is bound to its principal and its request.)
 */
export class GuardedState {
  readonly #seal: Seal;
  readonly #boundTo: string;

  /** @param params The params of the client. */
  constructor(
    { seal, member }: StateSeal,
    { method, auth }: Pick<ForwardedCall, 'method' | 'auth'>,
    params: JsonObject,
  ) {
    this.#seal = seal;
    this.#boundTo = `carried ${JSON.stringify(member)} ${bindingOf(method, params, auth?.principal)}`;
  }

  /**
   * The params with the state as the server gave it.
   *
   * @throws McpError invalidParams for a state that was not given to this principal for this request.
   */
  async opened(params: JsonObject): Promise<JsonObject> {
    const { requestState: given } = params;
    if (given === undefined) return params;
    const requestState =
      typeof given === 'string' && given.length <= maxSealedLength ? await this.#open(given) : undefined;
    if (requestState !== undefined) return { ...params, requestState };
    throw invalidState();
  }

  /**
   * A result with its state sealed, if it has one.
   *
   * @throws McpError internalError if the state is too long.
   */
  async sealed(result: JsonObject): Promise<JsonObject> {
    const { resultType, requestState } = result;
    if (resultType !== 'input_required' || typeof requestState !== 'string') return result;
    if (requestState.length <= maxStateLength) return { ...result, requestState: await this.#sealed(requestState) };
    const why = `the upstream server's requestState has ${requestState.length} characters, and ${maxStateLength} are carried`;
    throw new McpError('internalError', why);
  }

  /** A state, sealed. It is UTF-8 in there, which has no half of a pair of surrogates; JSON escapes one. */
  async #sealed(state: string): Promise<string> {
    return /\p{Surrogate}/u.test(state)
      ? await this.#seal.seal(JSON.stringify(state), this.#escaped)
      : await this.#seal.seal(state, this.#boundTo);
  }

  async #open(sealed: string): Promise<string | undefined> {
    const plain = await this.#seal.open(sealed, this.#boundTo);
    if (plain !== undefined) return plain;
    const escaped = await this.#seal.open(sealed, this.#escaped);
    return escaped === undefined ? undefined : (JSON.parse(escaped) as string);
  }

  get #escaped(): string {
    return `escaped ${this.#boundTo}`;
  }
}
