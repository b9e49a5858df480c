/** Lifecycle of a conversation: how it begins, shows that it lives, and how a request reports and ends. */

import {
  clientCapabilitiesShape,
  serverCapabilitiesShape,
  type ClientCapabilities,
  type ServerCapabilities,
} from '../capability.ts';
import {
  implementationShape,
  progressToken,
  requestId,
  type Implementation,
  type ProgressToken,
  type RequestId,
} from './common.ts';
import {
  cacheableRows,
  endedRequestRows,
  notificationRows,
  resultMeta,
  type CacheableResult,
  type NotificationParams,
  type RequestParams,
  requestParamsShape,
  emptyResultShape,
  notificationParamsShape,
  type EmptyResult,
} from './envelope.ts';
import { always, from, until, type Lifetime } from '../lifetime.ts';
import type { ResultMetaObject } from '../meta.ts';
import type { MethodRows, NotificationOf, RequestOf } from '../method.ts';
import { array, number, optional, ref, requiredIn, shape, since, string, type ShapeOf } from '../shape.ts';

const handshake: Lifetime = until('2026-07-28');

/** The parameters of `initialize`. Until 2025-11-25. */
export interface InitializeRequestParams extends RequestParams {
  /** The newest revision that the client wants to speak. */
  readonly protocolVersion: string;
  /** The capabilities of the client. */
  readonly capabilities: ClientCapabilities;
  /** The name and version of the client. */
  readonly clientInfo: Implementation;
}

/** The result of `initialize`. Until 2025-11-25. */
export interface InitializeResult {
  /** The revision that the server will speak; another than the client's is a counter-offer. */
  readonly protocolVersion: string;
  /** The capabilities of the server. */
  readonly capabilities: ServerCapabilities;
  /** The name and version of the server. */
  readonly serverInfo: Implementation;
  /** Instructions for using the server, for the model. */
  readonly instructions?: string;
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: ResultMetaObject;
}

/** The result of `server/discover`. Since 2026-07-28. */
export interface DiscoverResult extends CacheableResult {
  /** Every revision that the server speaks statelessly. */
  readonly supportedVersions: readonly string[];
  /** The capabilities of the server. */
  readonly capabilities: ServerCapabilities;
  /** Instructions for using the server, for the model. */
  readonly instructions?: string;
}

/** The parameters of `notifications/cancelled`. */
export interface CancelledNotificationParams extends NotificationParams {
  /** Id of the request; only a peer of 2025-11-25 may leave it out. */
  readonly requestId?: RequestId;
  /** The reason, for logs. */
  readonly reason?: string;
}

/** The parameters of `notifications/progress`. */
export interface ProgressNotificationParams extends NotificationParams {
  /** The token of the request that makes progress. */
  readonly progressToken: ProgressToken;
  /** Grows with every notification of a request. */
  readonly progress: number;
  /** The value of `progress` at the end, if known. */
  readonly total?: number;
  /** Since 2025-03-26. */
  readonly message?: string;
}

export const initializeRequestParamsShape: ShapeOf<InitializeRequestParams> = shape(
  'InitializeRequestParams',
  {
    ...endedRequestRows,
    protocolVersion: string,
    capabilities: ref(clientCapabilitiesShape),
    clientInfo: ref(implementationShape),
  },
  handshake,
);

export const initializeResultShape: ShapeOf<InitializeResult> = shape(
  'InitializeResult',
  {
    protocolVersion: string,
    capabilities: ref(serverCapabilitiesShape),
    serverInfo: ref(implementationShape),
    instructions: optional(string),
    _meta: resultMeta,
  },
  handshake,
);

export const discoverResultShape: ShapeOf<DiscoverResult> = shape(
  'DiscoverResult',
  {
    ...cacheableRows,
    supportedVersions: array(string),
    capabilities: ref(serverCapabilitiesShape),
    instructions: optional(string),
  },
  from('2026-07-28'),
);

export const cancelledNotificationParamsShape: ShapeOf<CancelledNotificationParams> = shape(
  'CancelledNotificationParams',
  {
    ...notificationRows,
    requestId: requiredIn(requestId, until('2025-11-25'), from('2026-07-28')),
    reason: optional(string),
  },
);

export const progressNotificationParamsShape: ShapeOf<ProgressNotificationParams> = shape(
  'ProgressNotificationParams',
  {
    ...notificationRows,
    progressToken,
    progress: number,
    total: optional(number),
    message: since('2025-03-26', optional(string)),
  },
);

/** The methods of a conversation and its requests, with what they carry. */
export interface LifecycleMethods {
  readonly initialize: RequestOf<InitializeRequestParams, InitializeResult>;
  readonly 'server/discover': RequestOf<RequestParams, DiscoverResult>;
  readonly ping: RequestOf<RequestParams, EmptyResult>;
  readonly 'notifications/initialized': NotificationOf<NotificationParams>;
  readonly 'notifications/cancelled': NotificationOf<CancelledNotificationParams>;
  readonly 'notifications/progress': NotificationOf<ProgressNotificationParams>;
}

export const lifecycleMethods: MethodRows<LifecycleMethods> = {
  initialize: {
    kind: 'request',
    from: 'client',
    lifetime: handshake,
    params: initializeRequestParamsShape,
    result: initializeResultShape,
  },
  'server/discover': {
    kind: 'request',
    from: 'client',
    lifetime: from('2026-07-28'),
    params: requestParamsShape,
    result: discoverResultShape,
    leaves: 'nothing',
  },
  ping: {
    kind: 'request',
    from: 'both',
    lifetime: handshake,
    params: requestParamsShape,
    result: emptyResultShape,
    leaves: 'nothing',
  },
  'notifications/initialized': {
    kind: 'notification',
    from: 'client',
    lifetime: handshake,
    params: notificationParamsShape,
  },
  // Since 2026-07-28 over stdio alone, where a server ends a listen stream with it.
  'notifications/cancelled': {
    kind: 'notification',
    from: 'both',
    lifetime: always,
    params: cancelledNotificationParamsShape,
  },
  'notifications/progress': {
    kind: 'notification',
    from: 'both',
    narrowed: { from: 'server', lifetime: from('2026-07-28') },
    lifetime: always,
    params: progressNotificationParamsShape,
  },
};
