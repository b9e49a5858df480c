/** Log messages from server to client. Deprecated in 2026-07-28. */

import { loggingLevel } from './common.ts';
import {
  endedRequestRows,
  notificationRows,
  type NotificationParams,
  type RequestParams,
  emptyResultShape,
  type EmptyResult,
} from './envelope.ts';
import { always, until } from '../lifetime.ts';
import type { LoggingLevel } from './logging-level.ts';
import type { MethodRows, NotificationOf, RequestOf } from '../method.ts';
import { any, optional, shape, string, type ShapeOf } from '../shape.ts';

// The `_meta` of requests needs the levels too, and these messages need `_meta`: hence the second file.
export { isWanted, loggingLevels, type LoggingLevel } from './logging-level.ts';

/** The parameters of `logging/setLevel`. Until 2025-11-25; then each request names a level in its `_meta`. */
export interface SetLevelRequestParams extends RequestParams {
  /** The least severe level to send. */
  readonly level: LoggingLevel;
}

/** The parameters of `notifications/message`. */
export interface LoggingMessageNotificationParams extends NotificationParams {
  /** The severity. */
  readonly level: LoggingLevel;
  /** The part of the server that speaks. */
  readonly logger?: string;
  /** Any JSON value. */
  readonly data: unknown;
}

export const setLevelRequestParamsShape: ShapeOf<SetLevelRequestParams> = shape(
  'SetLevelRequestParams',
  { ...endedRequestRows, level: loggingLevel },
  until('2026-07-28'),
);

export const loggingMessageNotificationParamsShape: ShapeOf<LoggingMessageNotificationParams> = shape(
  'LoggingMessageNotificationParams',
  { ...notificationRows, level: loggingLevel, logger: optional(string), data: any },
);

/** The methods of logging, with what they carry. */
export interface LoggingMethods {
  readonly 'logging/setLevel': RequestOf<SetLevelRequestParams, EmptyResult>;
  readonly 'notifications/message': NotificationOf<LoggingMessageNotificationParams>;
}

export const loggingMethods: MethodRows<LoggingMethods> = {
  'logging/setLevel': {
    kind: 'request',
    from: 'client',
    lifetime: until('2026-07-28'),
    needs: 'logging',
    params: setLevelRequestParamsShape,
    result: emptyResultShape,
    leaves: 'once',
  },
  'notifications/message': {
    kind: 'notification',
    from: 'server',
    lifetime: always,
    needs: 'logging',
    params: loggingMessageNotificationParamsShape,
  },
};
