/** Suggestions for the arguments of prompts and resource templates. */

import { requestRows, resultRows, type RequestParams, type Result } from './envelope.ts';
import { always, from } from '../lifetime.ts';
import type { MethodRows, RequestOf } from '../method.ts';
import {
  array,
  boolean,
  integer,
  literal,
  map,
  optional,
  ref,
  shape,
  since,
  string,
  tagged,
  type Row,
  type ShapeOf,
} from '../shape.ts';

/** Names a prompt. */
export interface PromptReference {
  /** Names the kind of reference. */
  readonly type: 'ref/prompt';
  /** The name of the prompt. */
  readonly name: string;
  /** Since 2025-06-18. */
  readonly title?: string;
}

/** Names a resource template. */
export interface ResourceTemplateReference {
  /** Names the kind of reference. */
  readonly type: 'ref/resource';
  /** The URI or URI template. */
  readonly uri: string;
}

/** The argument to complete, with what was typed so far. */
export interface CompletionArgument {
  /** The name of the argument. */
  readonly name: string;
  /** The text to complete. */
  readonly value: string;
}

/** Arguments that are settled already. Since 2025-06-18. */
export interface CompletionContext {
  /** The other arguments, by name. */
  readonly arguments?: Readonly<Record<string, string>>;
}

/** The suggestions. */
export interface Completion {
  /** At most 100. */
  readonly values: readonly string[];
  /** Number of all values. */
  readonly total?: number;
  /** True if there are more values than the listed ones. */
  readonly hasMore?: boolean;
}

/** The parameters of `completion/complete`. */
export interface CompleteRequestParams extends RequestParams {
  /** The prompt or the template that has the argument. */
  readonly ref: PromptReference | ResourceTemplateReference;
  /** The argument to complete. */
  readonly argument: CompletionArgument;
  /** Since 2025-06-18. */
  readonly context?: CompletionContext;
}

/** The result of `completion/complete`. */
export interface CompleteResult extends Result {
  /** The suggested values. */
  readonly completion: Completion;
}

export const promptReferenceShape: ShapeOf<PromptReference> = shape('PromptReference', {
  type: literal('ref/prompt'),
  name: string,
  title: since('2025-06-18', optional(string)),
});

export const resourceTemplateReferenceShape: ShapeOf<ResourceTemplateReference> = shape('ResourceTemplateReference', {
  type: literal('ref/resource'),
  uri: string,
});

const reference: Row<PromptReference | ResourceTemplateReference, 'required'> = tagged('CompletionReference', 'type', {
  'ref/prompt': promptReferenceShape,
  'ref/resource': resourceTemplateReferenceShape,
});

export const completionArgumentShape: ShapeOf<CompletionArgument> = shape('CompletionArgument', {
  name: string,
  value: string,
});
export const completionContextShape: ShapeOf<CompletionContext> = shape(
  'CompletionContext',
  { arguments: optional(map(string)) },
  from('2025-06-18'),
);

export const completionShape: ShapeOf<Completion> = shape('Completion', {
  values: array(string),
  total: optional(integer),
  hasMore: optional(boolean),
});

export const completeRequestParamsShape: ShapeOf<CompleteRequestParams> = shape('CompleteRequestParams', {
  ...requestRows,
  ref: reference,
  argument: ref(completionArgumentShape),
  context: since('2025-06-18', optional(ref(completionContextShape))),
});

export const completeResultShape: ShapeOf<CompleteResult> = shape('CompleteResult', {
  ...resultRows,
  completion: ref(completionShape),
});

/** The methods of completion, with what they carry. */
export interface CompletionMethods {
  readonly 'completion/complete': RequestOf<CompleteRequestParams, CompleteResult>;
}

export const completionMethods: MethodRows<CompletionMethods> = {
  'completion/complete': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    // Older than its capability: 2024-11-05 declares none.
    needs: 'completions',
    params: completeRequestParamsShape,
    result: completeResultShape,
    leaves: 'nothing',
    carried: { title: 'Completion' },
  },
};
