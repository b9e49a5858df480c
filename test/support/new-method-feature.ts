/** A feature that no revision has, written as somebody would write a new one. See `new-method.ts`. */

import {
  cacheableRows,
  requestRows,
  type CacheableResult,
  type RequestParams,
} from '../../packages/parley/src/protocol/features/envelope.ts';
import { from } from '../../packages/parley/src/protocol/lifetime.ts';
import type { MethodRows, RequestOf } from '../../packages/parley/src/protocol/method.ts';
import { optional, shape, since, string, type ShapeOf } from '../../packages/parley/src/protocol/shape.ts';

/** The parameters of `words/explain`. */
export interface ExplainRequestParams extends RequestParams {
  readonly word: string;
  /** Since 2025-11-25. */
  readonly language?: string;
}

/** The result of `words/explain`. */
export interface ExplainResult extends CacheableResult {
  readonly meaning: string;
}

export const explainRequestParamsShape: ShapeOf<ExplainRequestParams> = shape('ExplainRequestParams', {
  ...requestRows,
  word: string,
  language: since('2025-11-25', optional(string)),
});

export const explainResultShape: ShapeOf<ExplainResult> = shape('ExplainResult', { ...cacheableRows, meaning: string });

/** The methods of words. */
export interface WordMethods {
  readonly 'words/explain': RequestOf<ExplainRequestParams, ExplainResult>;
}

export const wordMethods: MethodRows<WordMethods> = {
  'words/explain': {
    kind: 'request',
    from: 'client',
    lifetime: from('2025-06-18'),
    needs: 'tools',
    params: explainRequestParamsShape,
    result: explainResultShape,
    leaves: 'nothing',
    staleAfter: 'notifications/tools/list_changed',
    carried: { title: 'Explaining words' },
  },
};
