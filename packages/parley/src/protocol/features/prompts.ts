/** Messages that a server has ready for its users. */

import { icons, role, type Icon, type Role } from './common.ts';
import { contentBlock, type ContentBlock } from './content.ts';
import {
  cacheableRows,
  meta,
  paginatedResultRows,
  resultRows,
  type CacheableResult,
  type PaginatedResult,
  type Result,
  paginatedRequestParamsShape,
  notificationParamsShape,
  type NotificationParams,
} from './envelope.ts';
import { always } from '../lifetime.ts';
import type { MetaObject } from '../meta.ts';
import type { AskingOf, ListOf, MethodRows, NotificationOf } from '../method.ts';
import { inputResponseRows, type InputResponseRequestParams } from './rounds.ts';
import {
  array,
  boolean,
  looseArray,
  looseString,
  map,
  optional,
  ref,
  shape,
  since,
  string,
  type ShapeOf,
} from '../shape.ts';

/** An argument of a prompt; its value is always a string. */
export interface PromptArgument {
  /** The name of the argument. */
  readonly name: string;
  /** The name for people. Since 2025-06-18. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** True if the argument must be given. */
  readonly required?: boolean;
}

/** Messages to begin a conversation with. */
export interface Prompt {
  /** The name by which the prompt is requested. */
  readonly name: string;
  /** The name for people. Since 2025-06-18. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The arguments that the prompt takes. */
  readonly arguments?: readonly PromptArgument[];
  /** Since 2025-11-25. */
  readonly icons?: readonly Icon[];
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** One message of a prompt. */
export interface PromptMessage {
  /** Role of the speaker. */
  readonly role: Role;
  /** The content of the message. */
  readonly content: ContentBlock;
}

/** The parameters of `prompts/get`. */
export interface GetPromptRequestParams extends InputResponseRequestParams {
  /** The name of the prompt. */
  readonly name: string;
  /** The arguments, by name. */
  readonly arguments?: Readonly<Record<string, string>>;
}

/** The result of `prompts/get`. */
export interface GetPromptResult extends Result {
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The messages of the prompt. */
  readonly messages: readonly PromptMessage[];
}

/** The result of `prompts/list`. */
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  /** The prompts of this page. */
  readonly prompts: readonly Prompt[];
}

export const promptArgumentShape: ShapeOf<PromptArgument> = shape('PromptArgument', {
  name: string,
  title: since('2025-06-18', optional(looseString)),
  description: optional(string),
  required: optional(boolean),
});

export const promptShape: ShapeOf<Prompt> = shape('Prompt', {
  name: string,
  title: since('2025-06-18', optional(string)),
  description: optional(string),
  arguments: optional(array(ref(promptArgumentShape))),
  icons,
  _meta: meta,
});

export const promptMessageShape: ShapeOf<PromptMessage> = shape('PromptMessage', { role, content: contentBlock });

export const getPromptRequestParamsShape: ShapeOf<GetPromptRequestParams> = shape('GetPromptRequestParams', {
  ...inputResponseRows,
  name: string,
  arguments: optional(map(string)),
});

export const getPromptResultShape: ShapeOf<GetPromptResult> = shape('GetPromptResult', {
  ...resultRows,
  description: optional(string),
  messages: array(ref(promptMessageShape)),
});

export const listPromptsResultShape: ShapeOf<ListPromptsResult> = shape('ListPromptsResult', {
  ...paginatedResultRows,
  ...cacheableRows,
  prompts: looseArray(ref(promptShape)),
});

/** The methods of prompts, with what they carry. */
export interface PromptMethods {
  readonly 'prompts/list': ListOf<ListPromptsResult, 'prompts'>;
  readonly 'prompts/get': AskingOf<GetPromptRequestParams, GetPromptResult>;
  readonly 'notifications/prompts/list_changed': NotificationOf<NotificationParams>;
}

export const promptMethods: MethodRows<PromptMethods> = {
  'prompts/list': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'prompts',
    params: paginatedRequestParamsShape,
    result: listPromptsResultShape,
    list: { items: 'prompts', key: 'name' },
    leaves: 'nothing',
    staleAfter: 'notifications/prompts/list_changed',
    carried: { title: 'Listing prompts' },
  },
  'prompts/get': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'prompts',
    params: getPromptRequestParamsShape,
    result: getPromptResultShape,
    nameParam: 'name',
    inputRequired: true,
    leaves: 'nothing',
    carried: { title: 'Getting prompts' },
  },
  'notifications/prompts/list_changed': {
    kind: 'notification',
    from: 'server',
    lifetime: always,
    needs: 'prompts.listChanged',
    params: notificationParamsShape,
    tells: { list: 'prompts', flag: 'promptsListChanged' },
  },
};
