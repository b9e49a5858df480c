/** One endpoint for clients of every revision, in front of one server of any revision. */
import { bridgeOver, type Bridge } from './bridge/bridge.ts';
import type { BridgeOptions } from './bridge/options.ts';
import { connect } from './client.ts';

/**
 * Puts a bridge in front of a server; it connects once, so that a server that cannot be reached fails here.
 *
 * @throws ConnectionError when the server is not reached or answers nothing that is MCP.
 *
 * @example
 * const bridge = await createBridge({ upstream: 'https://mcp.example.com/mcp' });
 * await serveStdio(bridge).closed;
 */
export const createBridge: (options: BridgeOptions) => Promise<Bridge> = bridgeOver(connect);

export type { Bridge } from './bridge/bridge.ts';
export type { UpstreamFacts } from './bridge/member.ts';
export type { BridgeOptions, BridgeRounds } from './bridge/options.ts';
export { httpTransport } from './http/client.ts';
export type { HttpTransportOptions } from './http/client-request.ts';
export { ConnectionError, type Transport } from './jsonrpc/transport.ts';
export type { Served } from './peer/endpoint.ts';
export type { SealingKey } from './peer/seal.ts';
export { memoryBus, type Bus, type Unsubscribe } from './store/bus.ts';
