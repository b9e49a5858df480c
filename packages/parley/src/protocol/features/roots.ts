/** The places that a client lets a server work in. Deprecated in 2026-07-28. */

import { meta, resultMeta, notificationParamsShape, type NotificationParams } from './envelope.ts';
import { from, until } from '../lifetime.ts';
import type { MetaObject, ResultMetaObject } from '../meta.ts';
import type { MethodRows, NotificationOf, RequestOf } from '../method.ts';
import { array, before, literal, optional, ref, shape, string, type ShapeOf } from '../shape.ts';

/** A place, as a `file:` URI. */
export interface Root {
  /** The URI of the root, such as a folder. */
  readonly uri: string;
  /** The name of the root. */
  readonly name?: string;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** The parameters of `roots/list`. */
export interface ListRootsRequestParams {
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: MetaObject;
}

/** The result of `roots/list`. */
export interface ListRootsResult {
  /** The roots of the client. */
  readonly roots: readonly Root[];
  /** Until 2025-11-25. */
  readonly _meta?: ResultMetaObject;
}

/** The request for roots as an input that a result asks for. Since 2026-07-28. */
export interface ListRootsRequest {
  /** Names the request. */
  readonly method: 'roots/list';
  /** The parameters. */
  readonly params?: ListRootsRequestParams;
}

export const rootShape: ShapeOf<Root> = shape('Root', { uri: string, name: optional(string), _meta: meta });

export const listRootsRequestParamsShape: ShapeOf<ListRootsRequestParams> = shape('ListRootsRequestParams', {
  _meta: meta,
});

export const listRootsResultShape: ShapeOf<ListRootsResult> = shape('ListRootsResult', {
  roots: array(ref(rootShape)),
  _meta: before('2026-07-28', resultMeta),
});

export const listRootsRequestShape: ShapeOf<ListRootsRequest> = shape(
  'ListRootsRequest',
  { method: literal('roots/list'), params: optional(ref(listRootsRequestParamsShape)) },
  from('2026-07-28'),
);

/** The methods of roots, with what they carry. */
export interface RootMethods {
  readonly 'roots/list': RequestOf<ListRootsRequestParams, ListRootsResult>;
  readonly 'notifications/roots/list_changed': NotificationOf<NotificationParams>;
}

export const rootMethods: MethodRows<RootMethods> = {
  'roots/list': {
    kind: 'request',
    from: 'server',
    lifetime: until('2026-07-28'),
    embedded: from('2026-07-28'),
    needs: 'roots',
    params: listRootsRequestParamsShape,
    result: listRootsResultShape,
  },
  'notifications/roots/list_changed': {
    kind: 'notification',
    from: 'client',
    lifetime: until('2026-07-28'),
    needs: 'roots.listChanged',
    params: notificationParamsShape,
  },
};
