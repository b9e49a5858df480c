/** One long request on whose stream a server announces changes. Since 2026-07-28. */

import { requestId, type RequestId } from './common.ts';
import { notificationRows, requestRows, resultType, type NotificationParams, type RequestParams } from './envelope.ts';
import { from, type Lifetime } from '../lifetime.ts';
import { resultMetaShape, type ResultMetaObject } from '../meta.ts';
import type { MethodRows, NotificationOf, RequestOf } from '../method.ts';
import { array, boolean, optional, ref, shape, string, type ShapeOf } from '../shape.ts';

/** A list of a server that may change, by the word that both ends use for it. */
export type ListKind = 'tools' | 'resources' | 'prompts';

/** The changes that are listened to. */
export interface SubscriptionFilter {
  /** True for changes of the list of tools. */
  readonly toolsListChanged?: boolean;
  /** True for changes of the list of prompts. */
  readonly promptsListChanged?: boolean;
  /** True for changes of the list of resources. */
  readonly resourcesListChanged?: boolean;
  /** The URIs of single resources. */
  readonly resourceSubscriptions?: readonly string[];
  /** The ids of tasks; needs the extension for tasks. */
  readonly taskIds?: readonly string[];
}

/** The parameters of `subscriptions/listen`. */
export interface SubscriptionsListenRequestParams extends RequestParams {
  /** The notifications that the client wants. */
  readonly notifications: SubscriptionFilter;
}

/** The parameters of `notifications/subscriptions/acknowledged`, the first message of the stream. */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  /** Topics that the server agreed to. */
  readonly notifications: SubscriptionFilter;
}

/** `_meta` of the result that ends the stream. */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** The id of the subscription: that of its request. */
  readonly 'io.modelcontextprotocol/subscriptionId': RequestId;
}

/** The result of `subscriptions/listen`, when the server ends the stream in good order. */
export interface SubscriptionsListenResult {
  /** Names the subscription that ended. */
  readonly _meta: SubscriptionsListenResultMetaObject;
  /** The kind of result. */
  readonly resultType?: string;
}

const listening: Lifetime = from('2026-07-28');

export const subscriptionFilterShape: ShapeOf<SubscriptionFilter> = shape(
  'SubscriptionFilter',
  {
    toolsListChanged: optional(boolean),
    promptsListChanged: optional(boolean),
    resourcesListChanged: optional(boolean),
    resourceSubscriptions: optional(array(string)),
    taskIds: optional(array(string)),
  },
  listening,
);

export const subscriptionsListenRequestParamsShape: ShapeOf<SubscriptionsListenRequestParams> = shape(
  'SubscriptionsListenRequestParams',
  { ...requestRows, notifications: ref(subscriptionFilterShape) },
  listening,
);

export const subscriptionsAcknowledgedParamsShape: ShapeOf<SubscriptionsAcknowledgedNotificationParams> = shape(
  'SubscriptionsAcknowledgedNotificationParams',
  { ...notificationRows, notifications: ref(subscriptionFilterShape) },
  listening,
);

export const subscriptionsListenResultMetaShape: ShapeOf<SubscriptionsListenResultMetaObject> = shape(
  'SubscriptionsListenResultMetaObject',
  { ...resultMetaShape.rows, 'io.modelcontextprotocol/subscriptionId': requestId },
  listening,
);

export const subscriptionsListenResultShape: ShapeOf<SubscriptionsListenResult> = shape(
  'SubscriptionsListenResult',
  { _meta: ref(subscriptionsListenResultMetaShape), resultType: resultType('complete') },
  listening,
);

/** The methods of subscriptions, with what they carry. */
export interface SubscriptionMethods {
  readonly 'subscriptions/listen': RequestOf<SubscriptionsListenRequestParams, SubscriptionsListenResult>;
  readonly 'notifications/subscriptions/acknowledged': NotificationOf<SubscriptionsAcknowledgedNotificationParams>;
}

export const subscriptionMethods: MethodRows<SubscriptionMethods> = {
  'subscriptions/listen': {
    kind: 'request',
    from: 'client',
    lifetime: listening,
    params: subscriptionsListenRequestParamsShape,
    result: subscriptionsListenResultShape,
  },
  'notifications/subscriptions/acknowledged': {
    kind: 'notification',
    from: 'server',
    lifetime: listening,
    params: subscriptionsAcknowledgedParamsShape,
  },
};
