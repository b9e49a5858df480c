/** A client that is nothing but JSON: what goes in is what a peer wrote, what comes out is what it would read. */

import assert from 'node:assert/strict';
import type { AuthInfo, ClientConnection, Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisionOf, revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';

/** A JSON object that came from a server. */
export type Json = Readonly<Record<string, unknown>>;

/** The error of an error response. */
export interface RawError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Every revision by date, oldest first. */
export const dates: readonly RevisionDate[] = revisions.map(({ date }) => date);

/** The revisions that begin with `initialize`. */
export const handshakeDates: readonly RevisionDate[] = revisions
  .filter(({ era }) => era === 'handshake')
  .map(({ date }) => date);

/** The revision without `initialize`. */
export const statelessDate = '2026-07-28';

/**
 * The program that every client of a test is, and the address where it is found, unless the test says otherwise: so any two of
 * them are two people of one program, whom neither tells apart.
 */
export const program = { info: { name: 'raw', version: '1' }, address: '192.0.2.1' } as const;

const { info: me } = program;

/** How a raw client opens. */
export interface RawOptions {
  readonly lasting?: boolean;
  /** What the client declares. */
  readonly capabilities?: Json;
  /** Sent in the `_meta` of every stateless request. */
  readonly meta?: Json;
  /** Who the edge found the client to be. */
  readonly auth?: AuthInfo;
  /** Address that the edge found the client at; the same for all by default. */
  readonly address?: string;
}

/** One conversation as its client sees it. */
export class Raw {
  readonly conversation: ClientConnection;
  /** What came beside responses, in order, with the id of the request whose stream carried it. */
  readonly heard: { readonly message: Json; readonly related: unknown }[] = [];
  readonly #options: RawOptions;
  readonly #stateless: boolean;
  #lastId = 1000;

  constructor(served: Servable, stateless: boolean, options: RawOptions = {}) {
    this.#options = options;
    this.#stateless = stateless;
    this.conversation = served.endpoint.openConnection({
      lasting: options.lasting ?? true,
      auth: options.auth,
      address: options.address ?? program.address,
      send: (message, related) => void this.heard.push({ message: copy(message) as Json, related }),
    });
  }

  /** The methods of what was heard. */
  get methods(): readonly unknown[] {
    return this.heard.map(({ message }) => message['method']);
  }

  /** Hands over a value as it is; gives the response, or `undefined` when there is none. */
  async receive(value: unknown): Promise<Json | undefined> {
    const response = await this.conversation.receive(copy(value));
    return response === undefined ? undefined : (copy(response) as Json);
  }

  /** Sends a request and gives its response, which must come. */
  async ask(method: string, params: Json = {}, id: string | number = ++this.#lastId): Promise<Json> {
    const response = await this.send(method, params, id);
    assert.ok(response !== undefined, `${method} got no response`);
    assert.equal(response['jsonrpc'], '2.0');
    assert.equal(response['id'], id);
    return response;
  }

  /** Sends a request; gives its response, or `undefined` when none comes. */
  send(method: string, params: Json = {}, id: string | number = ++this.#lastId): Promise<Json | undefined> {
    return this.receive({
      jsonrpc: '2.0',
      id,
      method,
      params: this.#stateless ? withMeta(params, this.#options) : params,
    });
  }

  /** Sends a request that must succeed, and gives its result. */
  async result(method: string, params: Json = {}, id?: string | number): Promise<Json> {
    return resultOf(await this.ask(method, params, id));
  }

  /** Sends a request that must fail, and gives its error. */
  async error(method: string, params: Json = {}, id?: string | number): Promise<RawError> {
    return errorOf(await this.ask(method, params, id));
  }

  /** Sends a notification, which must get no response. */
  async notify(method: string, params?: Json): Promise<void> {
    assert.equal(
      await this.receive({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }),
      undefined,
    );
  }

  /** Takes away what was heard so far. */
  take(): readonly Json[] {
    return this.heard.splice(0).map(({ message }) => message);
  }
}

/** Opens a conversation at a revision, with its handshake where it has one. */
export async function open(served: Servable, date: RevisionDate, options: RawOptions = {}): Promise<Raw> {
  const stateless = revisionOf(date)?.era === 'stateless';
  const raw = new Raw(served, stateless, options);
  if (stateless) return raw;
  const result = await raw.result('initialize', initializeParams(date, options.capabilities), 'open');
  assert.equal(result['protocolVersion'], date);
  await raw.notify('notifications/initialized');
  return raw;
}

/** The parameters of `initialize`. */
export function initializeParams(date: string, capabilities: Json = {}): Json {
  return { protocolVersion: date, capabilities, clientInfo: me };
}

/** Parameters with the `_meta` of a stateless request, where they do not say otherwise. */
export function withMeta(params: Json = {}, { capabilities = {}, meta = {} }: RawOptions = {}): Json {
  const own = {
    [metaKey.protocolVersion]: statelessDate,
    [metaKey.clientInfo]: me,
    [metaKey.clientCapabilities]: capabilities,
    ...meta,
  };
  const given = params['_meta'];
  return { ...params, _meta: typeof given === 'object' ? { ...own, ...given } : own };
}

/** The result of a response, which must have one and no error. */
export function resultOf(response: Json | undefined): Json {
  assert.ok(response !== undefined, 'no response');
  assert.ok(!('error' in response), JSON.stringify(response));
  const { result } = response;
  assert.ok(typeof result === 'object' && result !== null);
  // It was an object of JSON just now.
  return result as Json;
}

/** The error of a response, which must have one and no result. */
export function errorOf(response: Json | undefined): RawError {
  assert.ok(response !== undefined, 'no response');
  assert.ok(!('result' in response), JSON.stringify(response));
  const error = response['error'] as RawError | undefined;
  assert.ok(
    error !== undefined && Number.isInteger(error.code) && typeof error.message === 'string',
    JSON.stringify(response),
  );
  return error;
}

/** Lets everything run that is due already. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
}

function copy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
