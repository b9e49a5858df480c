/** One endpoint for clients of every revision, in front of one server of any revision. */
import { bridgeOver, type Bridge, type BridgeOptions } from './bridge/bridge.ts';
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

export type { Bridge, BridgeOptions, UpstreamFacts } from './bridge/bridge.ts';
export { httpTransport } from './http/client.ts';
export type { HttpTransportOptions } from './http/client-request.ts';
export { ConnectionError, type Transport } from './jsonrpc/transport.ts';
export type { Served } from './peer/endpoint.ts';
