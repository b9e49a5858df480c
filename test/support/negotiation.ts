/** A negotiation with a server that does what the test says. */

import { monotonicNow } from '../../packages/parley/src/jsonrpc/timeout.ts';
import { ConnectionError, type Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import type { Script } from '../../packages/parley/src/testing/scripted.ts';
import type { Inbound } from '../../packages/parley/src/client/connection/open-channel.ts';
import type { Negotiated } from '../../packages/parley/src/client/api/negotiated.ts';
import {
  negotiate,
  type NegotiatedConnection,
  type NegotiateOptions,
} from '../../packages/parley/src/client/connection/negotiate.ts';

export const newest = '2026-07-28';
export const older = '2025-11-25';
const quiet: Inbound = { request() {}, notification() {}, warning() {}, closed() {} };

export const discovered = (
  versions: readonly string[] = [newest],
  more: object = {},
): Readonly<Record<string, unknown>> => ({
  resultType: 'complete',
  supportedVersions: versions,
  capabilities: { tools: {} },
  instructions: 'ask',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'stateless', version: '1' } },
  ...more,
});
export const initialized = (protocolVersion: unknown = older): Readonly<Record<string, unknown>> => ({
  protocolVersion,
  capabilities: { prompts: {} },
  serverInfo: { name: 'handshake', version: '2' },
  instructions: 'shake',
});

/** Plays a server: what it does with `server/discover` and with `initialize`; other messages are taken in silence. */
export function server(discover: Script, initialize: Script = (sent, peer) => peer.reply(sent, initialized())): Script {
  return (sent, peer) => {
    if (sent.message['method'] === 'server/discover') return discover(sent, peer);
    if (sent.message['method'] === 'initialize') return initialize(sent, peer);
  };
}

export const refusing =
  (code: number, data?: unknown, status?: number): Script =>
  (sent, peer) =>
    peer.refuse(sent, data === undefined ? { code, message: 'no' } : { code, message: 'no', data }, status);
export const replying =
  (result: Readonly<Record<string, unknown>>): Script =>
  (sent, peer) =>
    peer.reply(sent, result);
export const failing =
  (...failure: ConstructorParameters<typeof ConnectionError>): Script =>
  (_, peer) =>
    peer.fail(new ConnectionError(...failure));
export const silent: Script = () => new Promise(() => {});

export interface StartOptions extends Partial<Pick<NegotiateOptions, 'signal' | 'connectTimeoutMs' | 'clock'>> {
  readonly revisions?: readonly string[];
  readonly negotiated?: Negotiated;
  readonly warning?: Inbound['warning'];
}

export function start(transport: Transport, options: StartOptions = {}): Promise<NegotiatedConnection> {
  const full: NegotiateOptions = {
    transport,
    revisions: chosenRevisions(options.revisions),
    self: () => ({
      info: { name: 'tester', version: '3', title: 'Tester' },
      capabilities: { roots: { listChanged: true }, sampling: {} },
    }),
    inbound: { ...quiet, ...(options.warning && { warning: options.warning }) },
    negotiated: options.negotiated,
    probeTimeoutMs: 2000,
    connectTimeoutMs: options.connectTimeoutMs ?? 60_000,
    signal: options.signal,
    now: () => 1234,
    clock: options.clock ?? monotonicNow,
  };
  return negotiate(full);
}

export const handshakeMethods: readonly string[] = ['server/discover', 'initialize', 'notifications/initialized'];
