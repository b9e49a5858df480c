/** The fields that every request, notification or result has. */

import {
  notificationMetaShape,
  requestMetaShape,
  resultMetaShape,
  type MetaObject,
  type NotificationMetaObject,
  type RequestMetaObject,
  type ResultMetaObject,
} from '../meta.ts';
import { from } from '../lifetime.ts';
import {
  before,
  filled,
  hint,
  natural,
  object,
  optional,
  ref,
  requiredIn,
  shape,
  since,
  string,
  type Row,
  type RowsOf,
  type ShapeOf,
} from '../shape.ts';

/** The parameters of a request that has none of its own. */
export interface RequestParams {
  /** Required on the wire since 2026-07-28, where the client adds it. */
  readonly _meta?: RequestMetaObject;
}

/** The parameters of a request for one page of a list. */
export interface PaginatedRequestParams extends RequestParams {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** The parameters of a notification that has none of its own. */
export interface NotificationParams {
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: NotificationMetaObject;
}

/** The fields of every result. */
export interface Result {
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: ResultMetaObject;
  /** Kind of result; absent means `complete`. Since 2026-07-28, where it is filled in. */
  readonly resultType?: string;
}

/** A result that says nothing but that it went well. */
export interface EmptyResult extends Result {}

/** A result with further pages. */
export interface PaginatedResult extends Result {
  /** Cursor at which the next page begins; absent on the last one. */
  readonly nextCursor?: string;
}

/** Hint for keeping an answer: the time, and by whom. (Spec 2026-07-28, Caching.) */
export interface CacheHint {
  /** Milliseconds from receipt; 0 means that it is stale at once. */
  readonly ttlMs: number;
  /** `public` only when the answer is the same for everybody. */
  readonly cacheScope: 'public' | 'private';
}

/** A result that may be kept for a while. Since 2026-07-28. */
export interface CacheableResult extends Result {
  /** Time that it stays fresh, in milliseconds; filled in as 0. */
  readonly ttlMs?: number;
  /** Audience of the answer, whether it may be shared between users; filled in as `private`. */
  readonly cacheScope?: 'public' | 'private';
}

/** `_meta` where no key has a meaning of its own. The schemas have it in data types since 2025-06-18; MCP Apps needs it before too. */
export const meta: Row<MetaObject, 'optional'> = optional(object);

export const requestRows: RowsOf<RequestParams> = { _meta: requiredIn(ref(requestMetaShape), from('2026-07-28')) };
/** Of handshake requests that a stateless revision has no more, or embeds without `_meta`. */
export const endedRequestRows: RowsOf<RequestParams> = { _meta: before('2026-07-28', optional(ref(requestMetaShape))) };
export const paginatedRequestRows: RowsOf<PaginatedRequestParams> = { ...requestRows, cursor: optional(string) };
export const notificationRows: RowsOf<NotificationParams> = { _meta: optional(ref(notificationMetaShape)) };

export const resultMeta: Row<ResultMetaObject, 'optional'> = optional(ref(resultMetaShape));
export const resultRows: RowsOf<Result> = { _meta: resultMeta, resultType: resultType('complete') };
export const paginatedResultRows: RowsOf<PaginatedResult> = { ...resultRows, nextCursor: optional(string) };
export const cacheableRows: RowsOf<CacheableResult> = {
  ...resultRows,
  ttlMs: filled(since('2026-07-28', natural), 0),
  cacheScope: filled(since('2026-07-28', hint('public', 'private')), 'private'),
};

/** The field `resultType` with what a kind of result writes there. */
export function resultType(fill: string): Row<string, 'optional'> {
  return filled(since('2026-07-28', string), fill);
}

export const requestParamsShape: ShapeOf<RequestParams> = shape('RequestParams', requestRows);
export const paginatedRequestParamsShape: ShapeOf<PaginatedRequestParams> = shape(
  'PaginatedRequestParams',
  paginatedRequestRows,
);
export const notificationParamsShape: ShapeOf<NotificationParams> = shape('NotificationParams', notificationRows);
export const emptyResultShape: ShapeOf<EmptyResult> = shape('EmptyResult', resultRows);
