/** Results that ask for input before they can be complete, and the answers. Since 2026-07-28. */

import { elicitRequestShape, elicitResultShape, type ElicitRequest, type ElicitResult } from './elicitation.ts';
import { requestRows, resultMeta, type RequestParams, type Result } from './envelope.ts';
import { from } from '../lifetime.ts';
import { listRootsRequestShape, listRootsResultShape, type ListRootsRequest, type ListRootsResult } from './roots.ts';
import {
  createMessageRequestShape,
  createMessageResultShape,
  type CreateMessageRequest,
  type CreateMessageResult,
} from './sampling.ts';
import {
  choice,
  literal,
  looseMap,
  map,
  optional,
  shape,
  since,
  string,
  tagged,
  type Row,
  type RowsOf,
  type ShapeOf,
} from '../shape.ts';

/** One thing that the server needs from the client. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** The answer to one `InputRequest`. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** Everything that the server needs, by a key of its own choice. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** The answers, by the key of the request. */
export type InputResponses = Readonly<Record<string, InputResponse>>;

/** The result of a request that needs input first; the client asks again with the answers. */
export interface InputRequiredResult extends Result {
  /** Marks a result that needs input. */
  readonly resultType: 'input_required';
  /** The requests to answer, by key. */
  readonly inputRequests?: InputRequests;
  /** Sent back unchanged with the answers; only the server can read it. */
  readonly requestState?: string;
}

/** The parameters of a request that may be asked again with answers. */
export interface InputResponseRequestParams extends RequestParams {
  /** Since 2026-07-28. */
  readonly inputResponses?: InputResponses;
  /** The `requestState` of the result that asked, unchanged; an empty one is one too. Since 2026-07-28. */
  readonly requestState?: string;
}

export const inputRequest: Row<InputRequest, 'required'> = tagged('InputRequest', 'method', {
  'elicitation/create': elicitRequestShape,
  'sampling/createMessage': createMessageRequestShape,
  'roots/list': listRootsRequestShape,
});

export const inputResponse: Row<InputResponse, 'required'> = choice(
  'InputResponse',
  listRootsResultShape,
  elicitResultShape,
  createMessageResultShape,
);

export const inputRequests: Row<InputRequests, 'required'> = map(inputRequest);

export const inputResponses: Row<InputResponses, 'required'> = map(inputResponse);

export const inputResponseRows: RowsOf<InputResponseRequestParams> = {
  ...requestRows,
  // Spec 2026-07-28, MRTR, Error handling: what was not asked SHOULD be ignored, whatever it is; what was is asked again.
  inputResponses: since('2026-07-28', optional(looseMap(inputResponse))),
  requestState: since('2026-07-28', optional(string)),
};

export const inputRequiredResultShape: ShapeOf<InputRequiredResult> = shape(
  'InputRequiredResult',
  {
    _meta: resultMeta,
    resultType: literal('input_required'),
    inputRequests: optional(inputRequests),
    requestState: optional(string),
  },
  from('2026-07-28'),
);

export const inputResponseRequestParamsShape: ShapeOf<InputResponseRequestParams> = shape(
  'InputResponseRequestParams',
  inputResponseRows,
  from('2026-07-28'),
);
