/** A connection of a bridge to its server whose client the test plays, and calls that go over it. */

import assert from 'node:assert/strict';
import { Failures } from '../../packages/parley/src/bridge/upstream/failures.ts';
import type { ForwardedCall } from '../../packages/parley/src/bridge/upstream/forwarded-call.ts';
import type {
  ClientEvents,
  UpstreamConnectionOptions,
} from '../../packages/parley/src/bridge/upstream/upstream-options.ts';
import { Upstream } from '../../packages/parley/src/bridge/upstream/upstream.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import type { RequestOptions } from '../../packages/parley/src/client/api/request-options.ts';
import type { SubscriptionEvent } from '../../packages/parley/src/client/api/subscription.ts';
import type { JsonObject } from '../../packages/parley/src/protocol/features/common.ts';
import { isWanted, type LoggingLevel } from '../../packages/parley/src/protocol/features/logging.ts';
import { newestRevision, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { settle } from './raw.ts';

/** A request that the server has. */
export interface Request {
  readonly method: string;
  readonly options: RequestOptions;
  answer(result?: JsonObject): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** The server, and whose connection it is. */
export interface ConnectionSetup {
  readonly up?: RevisionDate;
  readonly logging?: boolean;
  readonly options?: Partial<UpstreamConnectionOptions>;
  /** Whether the connection is that of one session. */
  readonly isOwn?: boolean;
}

/** A connection, and what happened on it. */
export interface PlayedConnection {
  readonly upstream: Upstream;
  readonly requests: readonly Request[];
  /** The levels that the server was told. */
  readonly levels: readonly string[];
  /** The connections that were opened, and how each ends. */
  readonly opened: readonly { readonly events: ClientEvents; end(): void }[];
  /** Failures of what comes next. */
  readonly state: { open?: Error | undefined; level?: Error | undefined };
  readonly subscriptions: readonly { event(event: SubscriptionEvent): void; end(): void }[];
  /** Takes away what was logged so far. */
  took(): readonly unknown[];
  /** The events of the connection that was opened last. */
  events(): ClientEvents;
}

/** Makes such a connection; what it tells beside answers is in its log. */
export function connection({
  up = '2025-11-25',
  logging = true,
  options = {},
  isOwn = false,
}: ConnectionSetup = {}): PlayedConnection {
  const log: unknown[] = [];
  const requests: Request[] = [];
  const levels: string[] = [];
  const opened: { readonly events: ClientEvents; end(): void }[] = [];
  const state: PlayedConnection['state'] = {};
  const subscriptions: { event(event: SubscriptionEvent): void; end(): void }[] = [];
  const clientOf = (closed: Promise<void>, end: () => void): Client =>
    ({
      revision: up,
      capabilities: logging ? { logging: {} } : {},
      supports: () => true,
      closed,
      close: async () => (log.push('closed'), end()),
      setLogLevel: async (level: string) => {
        levels.push(level);
        if (state.level !== undefined) throw state.level;
      },
      notify: async () => undefined,
      request: (method: string, _: JsonObject, given: RequestOptions) =>
        new Promise((resolve, reject) => {
          given.onSent?.(requests.length + 1);
          requests.push({
            method,
            options: given,
            answer: async (result = { tools: [] }) => (resolve(result), await settle()),
            fail: async (error) => (reject(error), await settle()),
          });
        }),
      subscribe: async (_: unknown, event: (event: SubscriptionEvent) => void) => {
        let stop!: () => void;
        const over = new Promise<void>((resolve) => (stop = resolve));
        subscriptions.push({ event, end: stop });
        return { closed: over };
      },
    }) as unknown as Client;
  let ticks = 0;
  const onRequest = async (
    method: string,
    _: JsonObject,
    { on }: { on: ForwardedCall | undefined },
  ): Promise<JsonObject> => ({
    method,
    on: on?.requestId,
  });
  const upstream = new Upstream({
    open: async (events, _, signal) => {
      signal.addEventListener('abort', () => log.push('given up'));
      if (state.open !== undefined) throw state.open;
      let end!: () => void;
      const closed = new Promise<void>((resolve) => (end = resolve));
      opened.push({ events, end });
      return clientOf(closed, end);
    },
    facts: { cancelsByClosing: true, ownsProcess: false } as never,
    events: {
      onLog: ({ data }) => void log.push(`heard ${String(data)}`),
      onNotification: (method) => void log.push(method),
      onMissed: () => void log.push('missed'),
      onWarning: (message) => void log.push(message),
      ...(isOwn ? { onRequest } : {}),
    },
    onAsked: () => void log.push('asked'),
    failures: new Failures(
      (message) => void log.push(message),
      () => 0,
    ),
    tick: () => ++ticks,
    ...options,
  });
  return {
    upstream,
    took: () => log.splice(0),
    requests,
    levels,
    opened,
    state,
    subscriptions,
    events: (): ClientEvents => opened.at(-1)?.events ?? assert.fail('nothing was opened'),
  };
}

let ids = 0;

/** A call of a client, with what it hears. */
export interface PlayedCall {
  readonly call: ForwardedCall;
  readonly heard: readonly unknown[];
  abort(): void;
}

/** Makes such a call. */
export function callOf(more: Partial<ForwardedCall> = {}): PlayedCall {
  const heard: unknown[] = [];
  const controller = new AbortController();
  const call = {
    method: 'tools/list',
    requestId: ++ids,
    facts: newestRevision,
    client: { info: undefined, capabilities: {}, supports: () => false },
    meta: {},
    signal: controller.signal,
    logLevel: undefined,
    session: undefined,
    admits: (level: LoggingLevel) => isWanted(level, more.logLevel),
    send: (method: string, { data }: JsonObject) => void heard.push(data ?? method),
    ...more,
  } as unknown as ForwardedCall;
  return { call, heard, abort: () => controller.abort() };
}

/** A call that wants every log message. */
export const loud = (): PlayedCall => callOf({ logLevel: 'debug' });
