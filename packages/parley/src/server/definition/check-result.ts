import { check, checkWritten } from '../../protocol/compile/check.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { CallToolResult } from '../../protocol/features/tools.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { whyNotJson } from '../../jsonrpc/encode.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { shown } from '../../options/shown.ts';
import { askMethods, type AskMethod } from '../../connection/client-request.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { newestRevision } from '../../protocol/revision.ts';
import type { Type } from '../../protocol/shape.ts';
import { isExtensionResult } from '../runtime/extension-result.ts';
import { isOtherResult } from './input-required.ts';

/**
 * Checks a handler's return value against its type: not every handler is checked by a compiler.
 *
 * @param what Names the handler in the message, such as `tool "add"`.
 * @throws TypeError that names the wrong place.
 */
export function checkResult<T>(type: Type<T>, result: NoInfer<T>, what: string): T {
  if (isExtensionResult(result)) return result;
  if (isOtherResult(result)) return askable(result, what);
  const [problem] = checkWritten(type, result);
  if (problem !== undefined)
    throw new TypeError(`${what} returned what cannot be sent: ${problem.path} ${problem.message}`);
  refuseUnwritable(result, what);
  return result;
}

/** No check has covered the open fields of a result and of its items. Structured content was serialized before. */
function refuseUnwritable(result: unknown, what: string): void {
  if (isObject(result)) refuseFields(result, what, 0);
}

/** Level from which a value is written to see whether it can be: the text of a resource, which may be large, is above it. */
const deepLevel = 5;

function refuseFields(value: Readonly<Record<string, unknown>>, what: string, level: number): void {
  for (const name in value) {
    const field = value[name];
    // Most are text, and nothing more is asked about them.
    if (typeof field !== 'object' && typeof field !== 'bigint') continue;
    if (field === null || !Object.hasOwn(value, name) || (level === 0 && name === 'structuredContent')) continue;
    if (!Array.isArray(field)) refuseField(field, what, name, level + 1);
    else for (const one of field) refuseField(one, what, name, level + 2);
  }
}

function refuseField(field: unknown, what: string, name: string, level: number): void {
  if ((typeof field !== 'object' && typeof field !== 'bigint') || field === null) return;
  if (isObject(field) && level < deepLevel && name !== '_meta' && !('toJSON' in field))
    refuseFields(field, what, level);
  else writtenJson(field, `the ${name} of what ${what} returned`);
}

/** Questions in manual mode follow the same rules. The state may be anything. */
function askable<T>(wish: T, what: string): T {
  const { inputRequests = {}, requestState } = wish as unknown as {
    readonly inputRequests?: Readonly<Record<string, HandlerQuestion>>;
    readonly requestState?: unknown;
  };
  writtenJson(requestState, `the requestState of what ${what} returned`);
  for (const [key, question] of Object.entries(inputRequests))
    checkQuestion(question, `${what} asks what cannot be sent: inputRequests.${key}`);
  return wish;
}

/** A question to a client, as a handler writes it. */
export interface HandlerQuestion {
  readonly method: AskMethod;
  readonly params?: JsonObject;
}

/**
 * Checks a question against its type, and that it is JSON, before it is sent. A client could not answer a wrong one.
 *
 * @throws TypeError that names the wrong place.
 */
export function checkQuestion({ method, params = {} }: HandlerQuestion, what: string): void {
  const type = askMethods.includes(method) ? methodOf(method)?.params : undefined;
  if (type === undefined)
    throw new TypeError(`${what}: ${shown(method)} is no question; there are ${askMethods.join(', ')}`);
  // The method's own row is the type of its parameters.
  const [problem] = check(newestRevision, type, toWire(newestRevision, type, params as never));
  if (problem !== undefined) throw new TypeError(`${what}: ${problem.path} ${problem.message}`);
  writtenJson(params, what);
}

/** Serializes a value on its own, since one bad value would make its whole message fail. */
export function writtenJson(value: unknown, what: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new TypeError(`${what} cannot be written as JSON: ${whyNotJson(cause)}`, { cause });
  }
}

/**
 * Checks the list entry of a definition against its type: many clients cannot read a list that has one wrong entry.
 *
 * @param what Names the definition in the message, such as `prompt "plan"`.
 * @throws TypeError that names the wrong place.
 */
export function listable<T>(type: Type<T>, entry: NoInfer<T>, what: string): T {
  const [problem] = check(newestRevision, type, toWire(newestRevision, type, entry));
  if (problem !== undefined) throw new TypeError(`${what} cannot be listed: ${problem.path} ${problem.message}`);
  writtenJson(entry, what);
  return entry;
}

/** Its alphabet, and the padding at its end. */
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Tells whether a text is base64; lines of it, as MIME has them, are read by everybody. */
function isBase64(data: string): boolean {
  return base64.test(data) || base64.test(data.replaceAll(/[\t\n\r ]/g, ''));
}

/**
 * Checks that the data of images and sounds is base64. Clients do not show other data, and do not say why.
 *
 * @throws TypeError that names the wrong place.
 */
export function checkData(result: CallToolResult, tool: string): CallToolResult {
  // A result of another kind has no content.
  for (const [index, block] of (result.content ?? []).entries()) {
    if ((block.type !== 'image' && block.type !== 'audio') || isBase64(block.data)) continue;
    const problem = block.data.startsWith('data:')
      ? 'is a data: URL; what follows its comma belongs there'
      : 'must be base64';
    throw new TypeError(`tool ${JSON.stringify(tool)} returned what cannot be sent: content[${index}].data ${problem}`);
  }
  return result;
}
