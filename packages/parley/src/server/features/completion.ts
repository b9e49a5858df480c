import { isObject, shownId } from '../../jsonrpc/message.ts';
import { shownMeta } from '../../connection/middleware/shown-ids.ts';
import type { Call } from '../runtime/call.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import { requireScopes } from '../runtime/protection.ts';
import {
  completeResultShape,
  type CompleteRequestParams,
  type CompleteResult,
} from '../../protocol/features/completion.ts';
import { McpError } from '../../protocol/error.ts';
import { shown } from '../../options/shown.ts';
import type { CompleterContext } from '../definition/tool-context.ts';
import type { Completer, Completions } from '../definition/definition.ts';
import { isListed } from './needed-scopes.ts';
import type { PromptEntry } from './prompts.ts';
import type { RegistryEntry, Registry } from '../definition/registry.ts';
import type { TemplateEntry } from './resources.ts';
import { checkResult } from '../definition/check-result.ts';
import { matchTemplate } from '../uri-template/match.ts';

/** Limit of values that one answer may hold. (Spec, Completion: at most 100.) */
const maxValues = 100;

/**
 * Runs `completion/complete`. An argument without a completer gets no values. That is no error.
 *
 * @throws McpError invalidParams for a prompt or template that does not exist.
 */
export async function complete(
  prompts: Registry<PromptEntry>,
  templates: Registry<TemplateEntry>,
  { params, call }: { readonly params: CompleteRequestParams; readonly call: Call },
): Promise<CompleteResult> {
  const { ref } = params;
  const { auth } = call;
  const { within, complete: completers } = entryOf({ prompts, templates, auth }, ref).value;
  const run = (own: object): Promise<CompleteResult> => completed(completers, own as CompleteRequestParams, call);
  if (within === undefined) return await run(params);
  // The result was made by `completed`, or checked as a result of the method.
  return (await within({ method: 'completion/complete', params: { ...params }, call, run })) as CompleteResult;
}

async function completed(
  completers: ReadonlyMap<string, Completer>,
  { argument, context }: CompleteRequestParams,
  call: Call,
): Promise<CompleteResult> {
  const completer = completers.get(argument.name);
  if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } };
  const settled = context?.arguments ?? {};
  const found = await completer(argument.value, withArguments(call, settled));
  const what = `the completer of ${JSON.stringify(argument.name.slice(0, 128))}`;
  return checkResult(completeResultShape, { completion: bounded(found, what) }, what);
}

/** The registries for a completion, and the caller. */
interface Completed {
  readonly prompts: Registry<PromptEntry>;
  readonly templates: Registry<TemplateEntry>;
  readonly auth: AuthInfo | undefined;
}

/** The prompt or the template that a completion is for. */
export function entryOf(
  within: Completed,
  ref: CompleteRequestParams['ref'],
): RegistryEntry<PromptEntry> | RegistryEntry<TemplateEntry> {
  switch (ref.type) {
    case 'ref/prompt':
      return promptOf(within, ref.name);
    case 'ref/resource':
      return templateOf(within, ref.uri);
    default:
      // Kinds of reference that no revision has are read as they came.
      throw new McpError('invalidParams', 'ref.type must be ref/prompt or ref/resource');
  }
}

function promptOf({ prompts, auth }: Completed, name: string): RegistryEntry<PromptEntry> {
  const entry = prompts.entry(name, auth);
  if (entry === undefined) throw new McpError('invalidParams', `unknown prompt ${JSON.stringify(name.slice(0, 128))}`);
  return entry;
}

/** The reference names a template by its text; hosts also send a URI that follows it. */
function templateOf({ templates, auth }: Completed, uri: string): RegistryEntry<TemplateEntry> {
  const follows = ({ value, restrictions }: RegistryEntry<TemplateEntry>): boolean =>
    isListed(templates, restrictions, auth) && matchTemplate(value.template, uri) !== undefined;
  const entry = templates.entry(uri, auth) ?? templates.entries().find(follows);
  if (entry === undefined)
    throw new McpError('invalidParams', `unknown resource template ${JSON.stringify(uri.slice(0, 256))}`);
  return entry;
}

/** @throws TypeError if the value is not a list and has none, as an untyped program may return. */
function bounded(found: Completions, what: string): CompleteResult['completion'] {
  if (!isList(found) && !(isObject(found) && Array.isArray(found.values)))
    throw new TypeError(`${what} gave ${shown(found)}; give a list of texts, or { values }`);
  const { values, total, hasMore } = isList(found) ? { values: found, total: found.length, hasMore: undefined } : found;
  return {
    values: values.slice(0, maxValues),
    ...(total === undefined ? {} : { total }),
    hasMore: values.length > maxValues || (hasMore ?? (total !== undefined && total > values.length)),
  };
}

function isList(found: Completions): found is readonly string[] {
  return Array.isArray(found);
}

/** The context of the request with the arguments that the user entered already. Accessors stay live. */
function withArguments(call: Call, settled: Readonly<Record<string, string>>): CompleterContext {
  return {
    get signal() {
      return call.signal;
    },
    requestId: shownId(call.requestId),
    revision: call.revision,
    client: call.client,
    auth: call.auth,
    requireScopes: (...scopes) => requireScopes(call, scopes),
    meta: shownMeta(call.meta),
    progress: (done, total, message) => call.progress(done, total, message),
    log: (level, data, logger) => call.log(level, data, logger),
    arguments: settled,
  };
}
