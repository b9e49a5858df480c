import { shown } from '../../options/shown.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ContentBlock } from '../../protocol/features/content.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';

/**
 * An error whose message is for the model. If a tool throws it, it becomes a result with `isError: true`. Prompts,
 * reads of resources and methods of a server's own have no such result. There it becomes an internal error with its
 * message.
 *
 * @example throw new ToolError('no forecast for "Atlantis"; try the name of a city');
 */
export class ToolError extends Error {
  /** The content of the result: the message as text unless given. */
  readonly content: readonly ContentBlock[];

  constructor(message: string, options: { readonly content?: readonly ContentBlock[]; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.content = options.content ?? [text(message)];
  }
}

/** A block of plain text. */
export function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

/** The result that reports a failure to the model. */
export function failure(content: readonly ContentBlock[]): CallToolResult {
  return { content, isError: true };
}

/**
 * Makes a complete result from the return value of a tool without an output schema: a string, a content block or
 * several, a complete result, or nothing.
 *
 * @throws TypeError for anything else.
 */
export function contentResult(tool: string, value: unknown): CallToolResult {
  if (value === undefined || value === null) return { content: [] };
  if (typeof value === 'string') return { content: [text(value)] };
  if (Array.isArray(value) && value.every(isBlock)) return { content: value };
  if (isBlock(value)) return { content: [value] };
  // An object with a content array is a result by the declared type; the projection checks the rest.
  if (isObject(value) && Array.isArray(value['content'])) return value as unknown as CallToolResult;
  if (isObject(value) && value['structuredContent'] !== undefined)
    return structuredResult(value['structuredContent'], value);
  const kind = isObject(value) ? `an object${'content' in value ? ' whose content is not a list' : ''}` : shown(value);
  throw new TypeError(
    `tool ${JSON.stringify(tool)} returned ${kind}; return a string, content blocks or a result, or declare an output schema`,
  );
}

/**
 * The return value of a tool with an output schema, if it is a complete result and not the output value. A complete
 * result has structured content, or content that the schema does not declare.
 */
export function wholeResult(
  value: unknown,
  outputSchema: Readonly<Record<string, unknown>>,
): CallToolResult | undefined {
  if (!isObject(value)) return undefined;
  const { content } = value;
  const isContent = Array.isArray(content) && (value['isError'] === true || !names(outputSchema, 'content'));
  const isWhole = Object.hasOwn(value, 'structuredContent') || (isContent && content.every(isBlock));
  // The projection checks the rest.
  return isWhole ? (value as unknown as CallToolResult) : undefined;
}

function names({ properties }: Readonly<Record<string, unknown>>, property: string): boolean {
  return isObject(properties) && Object.hasOwn(properties, property);
}

/**
 * The result for an output value: the value, and its JSON as text for clients that only read text. (Spec 2025-06-18,
 * Tools, Structured content.)
 *
 * @param whole The other fields of the result. Its own content stays.
 */
export function structuredResult(
  value: unknown,
  whole: Readonly<Partial<CallToolResult>> = {},
  json: string = JSON.stringify(value),
): CallToolResult {
  const { content } = whole;
  return {
    ...whole,
    content: Array.isArray(content) ? content : [text(json)],
    structuredContent: value,
  };
}

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value['type'] === 'string';
}
