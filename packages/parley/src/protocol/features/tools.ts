/** Functions that a server lets a model call. */

import { contentBlock, type ContentBlock } from './content.ts';
import {
  cacheableRows,
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
import type { AskingOf, ListOf, MethodRows, NotificationOf } from '../method.ts';
import { inputResponseRows, type InputResponseRequestParams } from './rounds.ts';
import {
  any,
  array,
  between,
  boolean,
  looseArray,
  object,
  optional,
  otherwise,
  ref,
  shape,
  since,
  string,
  widened,
  type ShapeOf,
} from '../shape.ts';
import { taskMetadataShape, type TaskMetadata } from './task-metadata.ts';
import { toolShape, type Tool } from './tool.ts';

// Sampling needs tools, and calls may carry the answers of sampling: hence the second file.
export type { Tool, ToolAnnotations, ToolExecution, ToolInputSchema, ToolOutputSchema } from './tool.ts';

/** The parameters of `tools/call`. */
export interface CallToolRequestParams extends InputResponseRequestParams {
  /** The name of the tool. */
  readonly name: string;
  /** The arguments, by name. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Asks for a task. Within 2025-11-25. */
  readonly task?: TaskMetadata;
}

/** The result of `tools/call`. */
export interface CallToolResult extends Result {
  /** The content for the model. */
  readonly content: readonly ContentBlock[];
  /** The result as data. Since 2025-06-18; anything but an object is wrapped before 2026-07-28. */
  readonly structuredContent?: unknown;
  /** True when the tool failed, in a way that the model should see. */
  readonly isError?: boolean;
}

/** The result of `tools/list`. */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  /** The tools of this page. */
  readonly tools: readonly Tool[];
}

const nothing: readonly never[] = Object.freeze([]);

export const callToolRequestParamsShape: ShapeOf<CallToolRequestParams> = shape('CallToolRequestParams', {
  ...inputResponseRows,
  name: string,
  arguments: optional(object),
  task: between('2025-11-25', '2026-07-28', optional(ref(taskMetadataShape))),
});

export const callToolResultShape: ShapeOf<CallToolResult> = shape('CallToolResult', {
  ...resultRows,
  // Some servers send structured content alone; a malformed task is no empty result.
  content: otherwise(array(contentBlock), ({ task }) => (task === undefined ? nothing : undefined)),
  structuredContent: since('2025-06-18', optional(widened('2026-07-28', object, any))),
  isError: optional(boolean),
});

export const listToolsResultShape: ShapeOf<ListToolsResult> = shape('ListToolsResult', {
  ...paginatedResultRows,
  ...cacheableRows,
  tools: looseArray(ref(toolShape)),
});

/** The methods of tools, with what they carry. */
export interface ToolMethods {
  readonly 'tools/list': ListOf<ListToolsResult, 'tools'>;
  readonly 'tools/call': AskingOf<CallToolRequestParams, CallToolResult>;
  readonly 'notifications/tools/list_changed': NotificationOf<NotificationParams>;
}

export const toolMethods: MethodRows<ToolMethods> = {
  'tools/list': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'tools',
    params: paginatedRequestParamsShape,
    result: listToolsResultShape,
    list: { items: 'tools', key: 'name' },
    leaves: 'nothing',
    staleAfter: 'notifications/tools/list_changed',
    carried: { title: 'Listing tools' },
  },
  'tools/call': {
    kind: 'request',
    from: 'client',
    lifetime: always,
    needs: 'tools',
    params: callToolRequestParamsShape,
    result: callToolResultShape,
    nameParam: 'name',
    inputRequired: true,
    carried: { title: 'Calling tools' },
  },
  'notifications/tools/list_changed': {
    kind: 'notification',
    from: 'server',
    lifetime: always,
    needs: 'tools.listChanged',
    params: notificationParamsShape,
    tells: { list: 'tools', flag: 'toolsListChanged' },
  },
};
