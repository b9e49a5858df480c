/** Calls of the client's model. Deprecated in 2026-07-28. */

import { role, type JsonObject, type Role } from './common.ts';
import {
  audioContentShape,
  contentBlock,
  imageContentShape,
  textContentShape,
  type AudioContent,
  type ContentBlock,
  type ImageContent,
  type TextContent,
} from './content.ts';
import { endedRequestRows, meta, type RequestParams } from './envelope.ts';
import { from, until, type Lifetime } from '../lifetime.ts';
import { resultMetaShape, type MetaObject } from '../meta.ts';
import type { MethodRows, RequestOf } from '../method.ts';
import {
  any,
  array,
  between,
  boolean,
  integer,
  literal,
  number,
  object,
  oneOf,
  optional,
  ref,
  shape,
  share,
  since,
  string,
  tagged,
  widened,
  type Row,
  type ShapeOf,
} from '../shape.ts';
import { taskMetadataShape, type TaskMetadata } from './task-metadata.ts';
import { toolShape, type Tool } from './tool.ts';

/** A tool call that the model asks for. Since 2025-11-25. */
export interface ToolUseContent {
  /** Names the kind of content. */
  readonly type: 'tool_use';
  /** The id of the use, which its result names. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments for the tool. */
  readonly input: JsonObject;
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: MetaObject;
}

/** The result of a tool call that the model asked for. Since 2025-11-25. */
export interface ToolResultContent {
  /** Names the kind of content. */
  readonly type: 'tool_result';
  /** The `id` of the `ToolUseContent`. */
  readonly toolUseId: string;
  /** The content of the result. */
  readonly content: readonly ContentBlock[];
  /** The result as data; anything but an object is wrapped before 2026-07-28. */
  readonly structuredContent?: unknown;
  /** True if the tool failed. */
  readonly isError?: boolean;
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: MetaObject;
}

/** One block of a message to or from a model. */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/** One message to or from a model. */
export interface SamplingMessage {
  /** Role of the speaker. */
  readonly role: Role;
  /** Several blocks since 2025-11-25; before, they travel as several messages. */
  readonly content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  /** Since 2025-11-25. */
  readonly _meta?: MetaObject;
}

/** A name, or a part of one, that a model may go by. */
export interface ModelHint {
  /** A part of the name of a model. */
  readonly name?: string;
}

/** Preferences in the choice of a model; priorities are from 0 to 1. */
export interface ModelPreferences {
  /** The first that fits is taken. */
  readonly hints?: readonly ModelHint[];
  /** Weight of low cost, from 0 to 1. */
  readonly costPriority?: number;
  /** Weight of speed, from 0 to 1. */
  readonly speedPriority?: number;
  /** Weight of capability, from 0 to 1. */
  readonly intelligencePriority?: number;
}

/** The way the model may use tools. Since 2025-11-25. */
export interface ToolChoice {
  /** Use of tools: the model may, must, or must not. */
  readonly mode?: 'auto' | 'required' | 'none';
}

/** The parameters of `sampling/createMessage`. */
export interface CreateMessageRequestParams extends RequestParams {
  /** The conversation so far. */
  readonly messages: readonly SamplingMessage[];
  /** Wishes for the choice of a model. */
  readonly modelPreferences?: ModelPreferences;
  /** The system prompt that the server wishes. */
  readonly systemPrompt?: string;
  /**
   * Anything but `none` needs the client capability `sampling.context` since 2025-11-25.
   *
   * @deprecated Since 2026-07-28 (SEP-2596): `thisServer` and `allServers` still work; a revision from 2027-07-28 on may remove it.
   */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  /** The sampling temperature. */
  readonly temperature?: number;
  /** The most tokens to generate. */
  readonly maxTokens: number;
  /** Texts that end the generation. */
  readonly stopSequences?: readonly string[];
  /** Passed to the provider of the model. */
  readonly metadata?: JsonObject;
  /** Needs the client capability `sampling.tools`. Since 2025-11-25. */
  readonly tools?: readonly Tool[];
  /** Since 2025-11-25. */
  readonly toolChoice?: ToolChoice;
  /** Asks for a task. Within 2025-11-25. */
  readonly task?: TaskMetadata;
}

/** The result of `sampling/createMessage`. */
export interface CreateMessageResult {
  /** Role of the speaker. */
  readonly role: Role;
  /** Several blocks since 2025-11-25. */
  readonly content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
  /** The name of the model that answered. */
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or anything else. */
  readonly stopReason?: string;
  /** Metadata that the protocol or an extension defines. */
  readonly _meta?: MetaObject;
}

/** The request for a message as an input that a result asks for. Since 2026-07-28. */
export interface CreateMessageRequest {
  /** Names the request. */
  readonly method: 'sampling/createMessage';
  /** The parameters. */
  readonly params: CreateMessageRequestParams;
}

const toolUse: Lifetime = from('2025-11-25');

export const toolUseContentShape: ShapeOf<ToolUseContent> = shape(
  'ToolUseContent',
  { type: literal('tool_use'), id: string, name: string, input: object, _meta: meta },
  toolUse,
);

export const toolResultContentShape: ShapeOf<ToolResultContent> = shape(
  'ToolResultContent',
  {
    type: literal('tool_result'),
    toolUseId: string,
    content: array(contentBlock),
    structuredContent: optional(widened('2026-07-28', object, any)),
    isError: optional(boolean),
    _meta: meta,
  },
  toolUse,
);

export const samplingBlock: Row<SamplingMessageContentBlock, 'required'> = tagged(
  'SamplingMessageContentBlock',
  'type',
  {
    text: textContentShape,
    image: imageContentShape,
    audio: audioContentShape,
    tool_use: toolUseContentShape,
    tool_result: toolResultContentShape,
  },
);

const samplingContent: Row<SamplingMessage['content'], 'required'> = widened(
  '2025-11-25',
  samplingBlock,
  oneOf(samplingBlock, array(samplingBlock)),
);

export const samplingMessageShape: ShapeOf<SamplingMessage> = shape('SamplingMessage', {
  role,
  content: samplingContent,
  _meta: since('2025-11-25', meta),
});

export const modelHintShape: ShapeOf<ModelHint> = shape('ModelHint', { name: optional(string) });

export const modelPreferencesShape: ShapeOf<ModelPreferences> = shape('ModelPreferences', {
  hints: optional(array(ref(modelHintShape))),
  costPriority: optional(share),
  speedPriority: optional(share),
  intelligencePriority: optional(share),
});

export const toolChoiceShape: ShapeOf<ToolChoice> = shape(
  'ToolChoice',
  { mode: optional(literal('auto', 'required', 'none')) },
  toolUse,
);

export const createMessageRequestParamsShape: ShapeOf<CreateMessageRequestParams> = shape(
  'CreateMessageRequestParams',
  {
    ...endedRequestRows,
    messages: array(ref(samplingMessageShape)),
    modelPreferences: optional(ref(modelPreferencesShape)),
    systemPrompt: optional(string),
    includeContext: optional(literal('none', 'thisServer', 'allServers')),
    temperature: optional(number),
    maxTokens: integer,
    stopSequences: optional(array(string)),
    metadata: optional(object),
    tools: since('2025-11-25', optional(array(ref(toolShape)))),
    toolChoice: since('2025-11-25', optional(ref(toolChoiceShape))),
    task: between('2025-11-25', '2026-07-28', optional(ref(taskMetadataShape))),
  },
);

export const createMessageResultShape: ShapeOf<CreateMessageResult> = shape('CreateMessageResult', {
  role,
  content: samplingContent,
  model: string,
  stopReason: optional(string),
  // Embedded in a request since 2026-07-28, it is no result of its own.
  _meta: optional(widened<MetaObject>('2026-07-28', ref(resultMetaShape), object)),
});

export const createMessageRequestShape: ShapeOf<CreateMessageRequest> = shape(
  'CreateMessageRequest',
  { method: literal('sampling/createMessage'), params: ref(createMessageRequestParamsShape) },
  from('2026-07-28'),
);

/** The methods of sampling, with what they carry. */
export interface SamplingMethods {
  readonly 'sampling/createMessage': RequestOf<CreateMessageRequestParams, CreateMessageResult>;
}

export const samplingMethods: MethodRows<SamplingMethods> = {
  'sampling/createMessage': {
    kind: 'request',
    from: 'server',
    lifetime: until('2026-07-28'),
    embedded: from('2026-07-28'),
    needs: 'sampling',
    params: createMessageRequestParamsShape,
    result: createMessageResultShape,
  },
};
