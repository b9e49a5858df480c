/** One endpoint for clients of every revision, in front of one server of any revision, or of several. */
import { bridgeOver, type CreateBridge } from './bridge/bridge.ts';
import { connect } from './client.ts';

/**
 * Puts a bridge in front of a server, or makes one of several; a server that cannot be reached fails here, and of
 * several one that can is enough.
 *
 * @throws ConnectionError when the server is not reached or answers nothing that is MCP.
 *
 * @example
 * const bridge = await createBridge({ upstream: 'https://mcp.example.com/mcp' });
 * await serveStdio(bridge).closed;
 */
export const createBridge: CreateBridge = bridgeOver(connect);

export type { Bridge, BridgeOfPrincipals, CreateBridge, MergedBridge } from './bridge/bridge.ts';
export type { UpstreamFacts } from './bridge/single/single.ts';
export type {
  BridgeBehavior,
  BridgeOptions,
  BridgeRounds,
  BridgeTasks,
  MergedBridgeOptions,
  PrefixMode,
  Sharing,
  UpstreamOptions,
} from './bridge/options.ts';
export type { BridgeRates } from './bridge/rates.ts';
export type { RateLimit } from './storage/limits.ts';
export type { TasksAsked } from './bridge/tasks/task-forms.ts';
export type { UpstreamAuth, UpstreamCredentials } from './bridge/upstream-auth.ts';
export type { PerPrincipalUpstream } from './bridge/principals/sign-in-options.ts';
export type { UpstreamGrant } from './bridge/principals/sign-in.ts';
export type { SignOutOptions } from './bridge/principals/signing-in.ts';
export type { GrantInfo } from './auth/client/interactive/oauth.ts';
export type { Identity } from './auth/client/grant.ts';
export type { SessionOf } from './auth/consent/consent.ts';
export type { EnterpriseUpstream, ExchangeUpstream } from './bridge/principals/exchange-options.ts';
export type { KnownUpstream, LoginPage, LoginWanted, UpstreamLogin } from './bridge/upstream-login.ts';
export type { UpstreamStanding } from './bridge/merged/backend.ts';
export { httpTransport } from './transports/http/client/transport.ts';
export type { HttpTransportOptions } from './transports/http/client/request.ts';
export { ConnectionError, type Transport } from './jsonrpc/transport.ts';
export type { Servable } from './server/runtime/request-handler.ts';
export type { SealingKey, SealingKeys } from './sealing/sealing-key.ts';
export { memoryBus, type Bus, type Unsubscribe, type SubscriberCount } from './storage/bus.ts';
export type { EventOfSession, OnEvent, RefusalReason, ServiceEvent } from './server/runtime/events/service-event.ts';
export type {
  Middleware,
  MiddlewareContext,
  MiddlewareAuth,
  MiddlewareSession,
  HasMiddleware,
} from './connection/middleware/middleware.ts';
