import type { Within } from '../definition/mounted-use.ts';
import { toolShape } from '../../protocol/features/tool.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { CallFace } from '../runtime/call.ts';
import { headerParametersOf, type HeaderParameter } from '../../connection/header.ts';
import { mapMaybe, catchMaybe } from '../../storage/maybe-promise.ts';
import { lackedScopes } from '../runtime/protection.ts';
import { isRoundEnd } from '../../connection/client-request.ts';
import { wrapStructuredContent } from '../../protocol/adapt/content.ts';
import { needsWrapping } from '../../protocol/adapt/tool.ts';
import { messageOfAnything } from '../runtime/masking.ts';
import { McpError } from '../../protocol/error.ts';
import type { Names } from '../../options/known-names.ts';
import { nearest } from '../../options/nearest.ts';
import type { Revision } from '../../protocol/revision.ts';
import {
  callToolResultShape,
  type CallToolRequestParams,
  type CallToolResult,
  type Tool,
  type ToolAnnotations,
} from '../../protocol/features/tools.ts';
import type { AnySchema } from '../../schema/infer.ts';
import type { Problem } from '../../schema/problem.ts';
import { toInputSchema, toOutputSchema, type ResolvedSchema } from '../../schema/schema.ts';
import { Context } from '../definition/context.ts';
import type { ToolContext } from '../definition/tool-context.ts';
import type { Handle, ToolDefinition } from '../definition/definition.ts';
import { common } from './common.ts';
import { isOtherResult } from '../definition/input-required.ts';
import type { ResolvedOptions } from '../definition/options.ts';
import type { TaskUse } from '../definition/task-definition.ts';
import type { Registry } from '../definition/registry.ts';
import { checkData, checkResult, listable, writtenJson } from '../definition/check-result.ts';
import { contentResult, failure, structuredResult, text, ToolError, wholeResult } from '../definition/tool-result.ts';

/** A registered tool, with everything that can be computed once. */
export interface ToolEntry {
  readonly tool: Tool;
  readonly input: ResolvedSchema;
  readonly output: ResolvedSchema | undefined;
  readonly headers: readonly HeaderParameter[];
  readonly task: TaskUse | undefined;
  readonly run: (args: unknown, ctx: ToolContext) => unknown;
  /** The way to it, if it belongs to a mounted server. */
  readonly within?: Within | undefined;
}

/** Treatment of errors that a tool throws. */
type ToolFailures = Pick<ResolvedOptions, 'onError' | 'exposeErrors'>;

type AnyTool = ToolDefinition<AnySchema | undefined, AnySchema | undefined>;

/** The input schema of a tool that takes no arguments: the recommended form (spec 2025-11-25, Tools), with the `properties` that hosts index unasked. */
const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

/**
 * Adds a tool.
 *
 * @throws TypeError when the name is empty or taken, a schema cannot be used, or an `x-mcp-header` breaks a rule.
 */
export function addTool(
  registry: Registry<ToolEntry>,
  name: string,
  definition: AnyTool,
  run: ToolEntry['run'],
): Handle<AnyTool> {
  if (name === '') throw new TypeError('a tool needs a name');
  return registry.add(name, definition, (current) => toolEntry(name, current, run));
}

function toolEntry(name: string, definition: AnyTool, run: ToolEntry['run']): ToolEntry {
  const { input, output } = schemasOf(name, definition);
  const { parameters, problems } = headerParametersOf(input.json);
  if (problems.length > 0) throw new TypeError(`tool ${JSON.stringify(name)}: ${problems.join('; ')}`);
  refuseMisspelt(name, definition.annotations);
  const task = typeof definition.task === 'string' ? { support: definition.task } : definition.task;
  const tool: Tool = {
    name,
    ...common(definition),
    // `toInputSchema` made sure that the root is an object schema.
    inputSchema: input.json as Tool['inputSchema'],
    ...(output === undefined ? {} : { outputSchema: output.json as NonNullable<Tool['outputSchema']> }),
    ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
    ...(task === undefined ? {} : { execution: { taskSupport: task.support } }),
  };
  return {
    tool: listable(toolShape, tool, `tool ${JSON.stringify(name)}`),
    input,
    output,
    headers: parameters,
    task,
    run,
  };
}

const annotationNames: Names<ToolAnnotations> = {
  title: 1,
  readOnlyHint: 1,
  destructiveHint: 1,
  idempotentHint: 1,
  openWorldHint: 1,
};

/**
 * Unknown annotations are allowed. One that nearly equals a known name is probably misspelt, and no client would read
 * it.
 */
function refuseMisspelt(tool: string, annotations: ToolAnnotations = {}): void {
  const known = Object.keys(annotationNames);
  for (const [name, value] of Object.entries(annotations)) {
    // A boolean is meant as a hint. Another value is a custom annotation.
    const whole =
      typeof value !== 'boolean' ? undefined : known.find((one) => one.toLowerCase() === `${name.toLowerCase()}hint`);
    const [meant] = known.includes(name) ? [] : [whole ?? nearest(name, known, 2)[0]];
    if (meant !== undefined)
      throw new TypeError(
        `tool ${JSON.stringify(tool)} has the annotation ${JSON.stringify(name)}; it is called ${meant}`,
      );
  }
}

/** @throws TypeError that names the tool, for a schema that cannot be used. */
function schemasOf(name: string, { input, output }: AnyTool): Pick<ToolEntry, 'input' | 'output'> {
  try {
    return {
      input: toInputSchema(input ?? noArguments),
      output: output === undefined ? undefined : toOutputSchema(output),
    };
  } catch (cause) {
    throw new TypeError(`tool ${JSON.stringify(name)}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * Runs `tools/call`.
 *
 * @throws McpError invalidParams for an unknown tool, and for invalid arguments if the revision reports these
 * as a protocol error.
 */
export function callTool(
  registry: Registry<ToolEntry>,
  params: CallToolRequestParams,
  call: CallFace,
  options: ToolFailures,
): CallToolResult | Promise<CallToolResult> {
  const entry = registry.find(params.name, call.auth);
  if (entry === undefined)
    throw new McpError('invalidParams', `unknown tool ${JSON.stringify(params.name.slice(0, 128))}`);
  if (entry.within === undefined) return callEntry(entry, params, call, options);
  // The result was made by `callEntry`, or checked as a result of the method.
  const run = (own: object): unknown => callEntry(entry, own as CallToolRequestParams, call, options);
  return catchMaybe(
    () => entry.within?.({ method: 'tools/call', params: { ...params }, call, run }) as CallToolResult,
    (error) => failed(entry, error, { call, options }),
  );
}

function callEntry(
  entry: ToolEntry,
  params: CallToolRequestParams,
  call: CallFace,
  options: ToolFailures,
): CallToolResult | Promise<CallToolResult> {
  return mapMaybe(entry.input.validate(params.arguments ?? {}), (checked) => {
    // Cancelled before it began: nothing runs, and the result is dropped.
    if (call.aborted) return failure([]);
    if (checked.problems !== undefined) return wrongArguments(params.name, checked.problems, call);
    return catchMaybe(
      () => run(entry, checked.value, call),
      (error) => failed(entry, error, { call, options }),
    );
  });
}

function run(entry: ToolEntry, args: unknown, call: CallFace): CallToolResult | Promise<CallToolResult> {
  return mapMaybe(entry.run(args, new Context(call)), (returned) => resultOfReturn(entry, returned, call.facts));
}

/**
 * Makes the result of a tool from its handler's return value.
 *
 * @throws TypeError if the value is not a valid result.
 */
export function resultOfReturn(
  entry: ToolEntry,
  returned: unknown,
  revision: Revision,
): CallToolResult | Promise<CallToolResult> {
  const { tool } = entry;
  return mapMaybe(outcome(entry, returned), (result) =>
    forRevision(
      checkData(
        checkResult(callToolResultShape, withPlainStructure(result), `tool ${JSON.stringify(tool.name)}`),
        tool.name,
      ),
      tool,
      revision,
    ),
  );
}

function failed(
  { tool }: ToolEntry,
  error: unknown,
  { call, options }: { readonly call: CallFace; readonly options: ToolFailures },
): CallToolResult {
  // If an answer has already begun, the model reads which scopes are missing. A WeakMap returns nothing for a key that
  // is not an object.
  call.lackedScopes = lackedScopes.get(error as object);
  if (call.lackedScopes !== undefined) return failure([text((error as McpError).message)]);
  if (error instanceof McpError || isRoundEnd(error)) throw error;
  const where = `tool ${JSON.stringify(tool.name)}`;
  let masked = error;
  if (error instanceof ToolError) {
    try {
      return checkResult(callToolResultShape, failure(error.content), `the ToolError of ${where}`);
    } catch (problem) {
      masked = problem;
    }
  }
  if (!call.aborted) options.onError(masked, where);
  // The message of a foreign error may hold secrets. Without `exposeErrors` the model reads only that the call failed.
  const why = options.exposeErrors ? `: ${messageOfAnything(masked)}` : '';
  return failure([text(`the ${where} failed${why}`)]);
}

function outcome({ tool, output }: ToolEntry, returned: unknown): CallToolResult | Promise<CallToolResult> {
  if (isOtherResult(returned)) return returned as CallToolResult;
  const where = `tool ${JSON.stringify(tool.name)}`;
  if (output === undefined) return writable(contentResult(tool.name, returned), where);
  const whole = wholeResult(returned, output.json);
  if (whole?.isError === true) return writable(whole, where);
  const value = whole === undefined ? returned : whole.structuredContent;
  if (value === undefined) {
    const what = whole === undefined ? 'nothing' : 'a result without structuredContent';
    throw new TypeError(`${where} returned ${what}; its output schema wants a value`);
  }
  return mapMaybe(output.validate(value), (checked) => {
    if (checked.problems !== undefined) {
      // For a cyclic value, a schema reports only that there is too much to check.
      writtenJson(value, `the output of ${where}`);
      throw new TypeError(`${where} returned an invalid output: ${listed(checked.problems)}`);
    }
    return structuredResult(checked.value, whole, writtenJson(checked.value, `the output of ${where}`));
  });
}

/** Checks a result whose structured content has not been validated by a schema. */
function writable(result: CallToolResult, where: string): CallToolResult {
  if (result.structuredContent !== undefined)
    writtenJson(result.structuredContent, `the structuredContent of ${where}`);
  return result;
}

/**
 * Converts structured content that has a `toJSON` (a date) to its JSON form. Otherwise the wrapper for non-objects
 * would treat it as an object.
 */
function withPlainStructure(result: CallToolResult): CallToolResult {
  const { structuredContent } = result;
  const saysItself = isObject(structuredContent) && typeof structuredContent['toJSON'] === 'function';
  return saysItself
    ? { ...result, structuredContent: JSON.parse(JSON.stringify(structuredContent)) as unknown }
    : result;
}

/**
 * The result for a revision. If the listed output schema is wrapped, the value is wrapped too, even if it is an object
 * already.
 */
function forRevision(result: CallToolResult, { outputSchema }: Tool, revision: Revision): CallToolResult {
  if (revision.structuredContent !== 'object' || outputSchema === undefined) return result;
  return isObject(result.structuredContent) && needsWrapping(outputSchema) ? wrapStructuredContent(result) : result;
}

/** Spec 2025-11-25, Tools, Error handling: arguments that do not fit are for the model to read and correct. */
function wrongArguments(name: string, problems: readonly Problem[], call: CallFace): CallToolResult {
  const message = `invalid arguments for tool ${JSON.stringify(name)}: ${listed(problems)}`;
  if (call.facts.argumentErrors === 'tool') return failure([text(message)]);
  throw new McpError('invalidParams', message, { data: { problems } });
}

function listed(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
