/** Serving of prompts. */

import { isObject } from '../../jsonrpc/message.ts';
import type { Call } from '../runtime/call.ts';
import { McpError } from '../../protocol/error.ts';
import { shown } from '../../options/shown.ts';
import {
  getPromptResultShape,
  type GetPromptRequestParams,
  type GetPromptResult,
} from '../../protocol/features/prompts.ts';
import { Context } from '../definition/context.ts';
import { isOtherResult } from '../definition/input-required.ts';
import { inWords } from '../definition/handler-errors.ts';
import type { PromptEntry } from './prompts.ts';
import type { Registry } from '../definition/registry.ts';
import { checkResult } from '../definition/check-result.ts';

/**
 * Runs `prompts/get`.
 *
 * @throws McpError invalidParams for an unknown prompt, a missing required argument, or arguments that do not fit.
 */
export async function getPrompt(
  registry: Registry<PromptEntry>,
  params: GetPromptRequestParams,
  call: Call,
): Promise<GetPromptResult> {
  const entry = registry.find(params.name, call.auth);
  if (entry === undefined)
    throw new McpError('invalidParams', `unknown prompt ${JSON.stringify(params.name.slice(0, 128))}`);
  const run = (own: object): Promise<GetPromptResult> => promptResult(entry, own as GetPromptRequestParams, call);
  if (entry.within === undefined) return await run(params);
  // The result was made by `promptResult`, or checked as a result of the method.
  return (await entry.within({ method: 'prompts/get', params: { ...params }, call, run })) as GetPromptResult;
}

async function promptResult(entry: PromptEntry, params: GetPromptRequestParams, call: Call): Promise<GetPromptResult> {
  const args = await checkedArguments(entry, params.arguments ?? {});
  const result = messages(
    params.name,
    await inWords(() => entry.get(args, new Context(call))),
    entry.prompt.description,
  );
  return checkResult(getPromptResultShape, result, `the prompt ${JSON.stringify(params.name)}`);
}

/** @throws McpError invalidParams for a missing or invalid argument. */
export async function checkedArguments(
  { prompt, schema }: PromptEntry,
  given: Readonly<Record<string, string>>,
): Promise<unknown> {
  if (schema === undefined) {
    const missing = (prompt.arguments ?? []).filter(
      ({ name, required }) => required === true && !Object.hasOwn(given, name),
    );
    if (missing.length > 0)
      throw wrong(prompt.name, `missing ${missing.map(({ name }) => JSON.stringify(name)).join(', ')}`);
    return given;
  }
  const checked = await schema.validate(given);
  if (checked.problems === undefined) return checked.value;
  throw wrong(prompt.name, checked.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
}

function wrong(prompt: string, why: string): McpError {
  return new McpError('invalidParams', `invalid arguments for prompt ${JSON.stringify(prompt)}: ${why}`);
}

function messages(prompt: string, value: unknown, description: string | undefined): GetPromptResult {
  const base = description === undefined ? {} : { description };
  if (typeof value === 'string')
    return { ...base, messages: [{ role: 'user', content: { type: 'text', text: value } }] };
  // By the handler's type, a value that is not text is messages or a result. The conversion checks it.
  if (isOtherResult(value)) return value as GetPromptResult;
  if (Array.isArray(value)) return { ...base, messages: value };
  if (isObject(value) && Array.isArray(value['messages'])) return { ...base, ...value } as unknown as GetPromptResult;
  if (isObject(value) && typeof value['role'] === 'string')
    return { ...base, messages: [value] } as unknown as GetPromptResult;
  throw new TypeError(`the prompt ${JSON.stringify(prompt)} gave ${shown(value)}; give text, messages or a result`);
}
