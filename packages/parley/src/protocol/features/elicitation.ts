/** Questions to the user, in a form or behind a URL. Since 2025-06-18. */

import { requestedSchemaShape, type RequestedSchema } from './elicitation-schema.ts';
import {
  endedRequestRows,
  resultMeta,
  notificationRows,
  type NotificationParams,
  type RequestParams,
} from './envelope.ts';
import { from, within, type Lifetime } from '../lifetime.ts';
import type { ResultMetaObject } from '../meta.ts';
import type { MethodRows, NotificationOf, RequestOf } from '../method.ts';
import {
  array,
  before,
  between,
  boolean,
  literal,
  map,
  number,
  oneOf,
  optional,
  ref,
  requiredIn,
  shape,
  since,
  string,
  tagged,
  widened,
  type Row,
  type ShapeOf,
} from '../shape.ts';
import { taskMetadataShape, type TaskMetadata } from './task-metadata.ts';

/** Asks with a form. */
export interface ElicitRequestFormParams extends RequestParams {
  /** Since 2025-11-25; absent means `form`. */
  readonly mode?: 'form';
  /** Question, for the user. */
  readonly message: string;
  /** The fields of the form. */
  readonly requestedSchema: RequestedSchema;
  /** Asks for a task. Within 2025-11-25. */
  readonly task?: TaskMetadata;
}

/** Asks with a page that the user visits. Since 2025-11-25. */
export interface ElicitRequestURLParams extends RequestParams {
  /** The user opens a page. */
  readonly mode: 'url';
  /** Reason why the page should be visited, for the user. */
  readonly message: string;
  /** The URL of the page. */
  readonly url: string;
  /** Names this question in `notifications/elicitation/complete`; required within 2025-11-25, the only one to have it. */
  readonly elicitationId?: string;
  /** Asks for a task. Within 2025-11-25. */
  readonly task?: TaskMetadata;
}

/** The parameters of `elicitation/create`. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** The value that the user entered in one field. */
export type ElicitValue = string | number | boolean | readonly string[];

/** The result of `elicitation/create`. */
export interface ElicitResult {
  /** Action of the user: filled in the form, declined, or closed it. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** Entries of an accepted form. */
  readonly content?: Readonly<Record<string, ElicitValue>>;
  /** Until 2025-11-25. */
  readonly _meta?: ResultMetaObject;
}

/** The parameters of `notifications/elicitation/complete`. Within 2025-11-25. */
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  /** The id of the elicitation that is complete. */
  readonly elicitationId: string;
}

/** The question as an input that a result asks for. Since 2026-07-28. */
export interface ElicitRequest {
  /** Names the request. */
  readonly method: 'elicitation/create';
  /** The parameters. */
  readonly params: ElicitRequestParams;
}

const urls: Lifetime = within('2025-11-25', '2026-07-28');
const task: Row<TaskMetadata, 'optional'> = between('2025-11-25', '2026-07-28', optional(ref(taskMetadataShape)));

export const elicitRequestFormParamsShape: ShapeOf<ElicitRequestFormParams> = shape(
  'ElicitRequestFormParams',
  {
    ...endedRequestRows,
    mode: since('2025-11-25', optional(literal('form'))),
    message: string,
    requestedSchema: ref(requestedSchemaShape),
    task,
  },
  from('2025-06-18'),
);

export const elicitRequestUrlParamsShape: ShapeOf<ElicitRequestURLParams> = shape(
  'ElicitRequestURLParams',
  {
    ...endedRequestRows,
    mode: literal('url'),
    message: string,
    url: string,
    elicitationId: between('2025-11-25', '2026-07-28', requiredIn(string, urls)),
    task,
  },
  from('2025-11-25'),
);

export const elicitRequestParams: Row<ElicitRequestParams, 'required'> = tagged(
  'ElicitRequestParams',
  'mode',
  { form: elicitRequestFormParamsShape, url: elicitRequestUrlParamsShape },
  'form',
);

const value: Row<ElicitValue, 'required'> = widened(
  '2025-11-25',
  oneOf(string, number, boolean),
  oneOf(string, number, boolean, array(string)),
);

export const elicitResultShape: ShapeOf<ElicitResult> = shape(
  'ElicitResult',
  {
    action: literal('accept', 'decline', 'cancel'),
    content: optional(map(value)),
    _meta: before('2026-07-28', resultMeta),
  },
  from('2025-06-18'),
);

export const elicitationCompleteParamsShape: ShapeOf<ElicitationCompleteNotificationParams> = shape(
  'ElicitationCompleteNotificationParams',
  { ...notificationRows, elicitationId: string },
  urls,
);

export const elicitRequestShape: ShapeOf<ElicitRequest> = shape(
  'ElicitRequest',
  { method: literal('elicitation/create'), params: elicitRequestParams },
  from('2026-07-28'),
);

/** The methods of elicitation, with what they carry. */
export interface ElicitationMethods {
  readonly 'elicitation/create': RequestOf<ElicitRequestParams, ElicitResult>;
  readonly 'notifications/elicitation/complete': NotificationOf<ElicitationCompleteNotificationParams>;
}

export const elicitationMethods: MethodRows<ElicitationMethods> = {
  'elicitation/create': {
    kind: 'request',
    from: 'server',
    lifetime: within('2025-06-18', '2026-07-28'),
    embedded: from('2026-07-28'),
    needs: 'elicitation',
    params: elicitRequestParams,
    result: elicitResultShape,
  },
  'notifications/elicitation/complete': {
    kind: 'notification',
    from: 'server',
    lifetime: urls,
    needs: 'elicitation.url',
    params: elicitationCompleteParamsShape,
  },
};
