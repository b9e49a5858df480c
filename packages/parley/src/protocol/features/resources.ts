/** Reading what a server offers to be read. */

import {
  cacheableRows,
  endedRequestRows,
  notificationRows,
  paginatedResultRows,
  type CacheableResult,
  type NotificationParams,
  type PaginatedResult,
  type RequestParams,
  paginatedRequestParamsShape,
  emptyResultShape,
  notificationParamsShape,
  type EmptyResult,
} from './envelope.ts';
import { always, until, type Lifetime } from '../lifetime.ts';
import type { AskingOf, ListOf, MethodRows, NotificationOf, RequestOf } from '../method.ts';
import {
  resourceContents,
  resourceShape,
  resourceTemplateShape,
  type AnyResourceContents,
  type Resource,
  type ResourceTemplate,
} from './resource.ts';
import { inputResponseRows, type InputResponseRequestParams } from './rounds.ts';
import { array, looseArray, ref, shape, string, type RowsOf, type ShapeOf } from '../shape.ts';

// Content blocks need these too, and what is asked for needs content blocks: hence the second file.
export type { BlobResourceContents, Resource, ResourceTemplate, TextResourceContents } from './resource.ts';

/** The parameters of `resources/read`. */
export interface ReadResourceRequestParams extends InputResponseRequestParams {
  /** The URI of the resource. */
  readonly uri: string;
}

/** The parameters of `resources/subscribe`. Until 2025-11-25. */
export interface SubscribeRequestParams extends RequestParams {
  /** The URI of the resource. */
  readonly uri: string;
}

/** The parameters of `resources/unsubscribe`. Until 2025-11-25. */
export interface UnsubscribeRequestParams extends RequestParams {
  /** The URI of the resource. */
  readonly uri: string;
}

/** The parameters of `notifications/resources/updated`. */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /** The URI of the resource. */
  readonly uri: string;
}

/** The result of `resources/list`. */
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  /** The resources of this page. */
  readonly resources: readonly Resource[];
}

/** The result of `resources/templates/list`. */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  /** The templates of this page. */
  readonly resourceTemplates: readonly ResourceTemplate[];
}

/** The result of `resources/read`. */
export interface ReadResourceResult extends CacheableResult {
  /** The contents; a resource may have several parts. */
  readonly contents: readonly AnyResourceContents[];
}

export const readResourceRequestParamsShape: ShapeOf<ReadResourceRequestParams> = shape('ReadResourceRequestParams', {
  ...inputResponseRows,
  uri: string,
});

const subscriptionRows: RowsOf<SubscribeRequestParams> = { ...endedRequestRows, uri: string };

export const subscribeRequestParamsShape: ShapeOf<SubscribeRequestParams> = shape(
  'SubscribeRequestParams',
  subscriptionRows,
  until('2026-07-28'),
);

export const unsubscribeRequestParamsShape: ShapeOf<UnsubscribeRequestParams> = shape(
  'UnsubscribeRequestParams',
  subscriptionRows,
  until('2026-07-28'),
);

export const resourceUpdatedNotificationParamsShape: ShapeOf<ResourceUpdatedNotificationParams> = shape(
  'ResourceUpdatedNotificationParams',
  { ...notificationRows, uri: string },
);

export const listResourcesResultShape: ShapeOf<ListResourcesResult> = shape('ListResourcesResult', {
  ...paginatedResultRows,
  ...cacheableRows,
  resources: looseArray(ref(resourceShape)),
});

export const listResourceTemplatesResultShape: ShapeOf<ListResourceTemplatesResult> = shape(
  'ListResourceTemplatesResult',
  {
    ...paginatedResultRows,
    ...cacheableRows,
    resourceTemplates: looseArray(ref(resourceTemplateShape)),
  },
);

export const readResourceResultShape: ShapeOf<ReadResourceResult> = shape('ReadResourceResult', {
  ...cacheableRows,
  contents: array(resourceContents),
});

const ended: Lifetime = until('2026-07-28');

/** The methods of resources, with what they carry. */
export interface ResourceMethods {
  readonly 'resources/list': ListOf<ListResourcesResult, 'resources'>;
  readonly 'resources/templates/list': ListOf<ListResourceTemplatesResult, 'resourceTemplates'>;
  readonly 'resources/read': AskingOf<ReadResourceRequestParams, ReadResourceResult>;
  readonly 'resources/subscribe': RequestOf<SubscribeRequestParams, EmptyResult>;
  readonly 'resources/unsubscribe': RequestOf<UnsubscribeRequestParams, EmptyResult>;
  readonly 'notifications/resources/updated': NotificationOf<ResourceUpdatedNotificationParams>;
  readonly 'notifications/resources/list_changed': NotificationOf<NotificationParams>;
}

export const resourceMethods: MethodRows<ResourceMethods> = {
  'resources/list': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'resources',
    params: paginatedRequestParamsShape,
    result: listResourcesResultShape,
    list: { items: 'resources', key: 'uri' },
    leaves: 'nothing',
    staleAfter: 'notifications/resources/list_changed',
    carried: { title: 'Listing resources' },
  },
  'resources/templates/list': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'resources',
    params: paginatedRequestParamsShape,
    result: listResourceTemplatesResultShape,
    list: { items: 'resourceTemplates', key: 'uriTemplate' },
    leaves: 'nothing',
    staleAfter: 'notifications/resources/list_changed',
    carried: { title: 'Listing resource templates' },
  },
  'resources/read': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'resources',
    params: readResourceRequestParamsShape,
    result: readResourceResultShape,
    nameParam: 'uri',
    inputRequired: true,
    leaves: 'nothing',
    staleAfter: 'notifications/resources/updated',
    carried: { title: 'Reading resources' },
  },
  'resources/subscribe': {
    kind: 'request',
    from: 'client',
    lifetime: ended,
    needs: 'resources.subscribe',
    params: subscribeRequestParamsShape,
    result: emptyResultShape,
    leaves: 'once',
  },
  'resources/unsubscribe': {
    kind: 'request',
    from: 'client',
    lifetime: ended,
    needs: 'resources.subscribe',
    params: unsubscribeRequestParamsShape,
    result: emptyResultShape,
    leaves: 'once',
  },
  // On a listen stream since 2026-07-28.
  'notifications/resources/updated': {
    kind: 'notification',
    from: 'server',
    lifetime: always,
    needs: 'resources.subscribe',
    params: resourceUpdatedNotificationParamsShape,
  },
  'notifications/resources/list_changed': {
    kind: 'notification',
    from: 'server',
    lifetime: always,
    needs: 'resources.listChanged',
    params: notificationParamsShape,
    tells: { list: 'resources', flag: 'resourcesListChanged' },
  },
};
