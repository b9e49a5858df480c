/** The scopes that requests need, asked before they run. */

import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../host/endpoint.ts';
import { lackedScopes, requireScopes, type ScopeGuard } from '../../host/protection.ts';
import type { CompleteRequestParams } from '../../protocol/features/completion.ts';
import type { Parts } from '../parts.ts';
import { entryOf } from './completion.ts';
import { knownScopes, neededScopes } from './needed-scopes.ts';
import type { Registry } from './registry.ts';
import { checkedArguments } from './prompting.ts';
import { matching } from './reading.ts';

/** What a request of a caller needs; it throws where the request is wrong. */
type Needs = (
  parts: Parts,
  params: Readonly<Record<string, unknown>>,
  auth: AuthInfo | undefined,
) => readonly string[] | Promise<readonly string[]>;

const methods: ReadonlyMap<string, Needs> = new Map<string, Needs>([
  ['tools/call', ofTool],
  ['prompts/get', ofPrompt],
  ['resources/read', (parts, { uri }, auth) => ofResource(parts, String(uri), auth)],
  ['resources/subscribe', (parts, { uri }, auth) => ofResource(parts, String(uri), auth)],
  ['completion/complete', ofCompletion],
]);

/**
 * All scopes that a request needs, where its sender lacks one; else none. What is wrong with a request shows when it runs.
 *
 * @param parts What the server offers.
 */
async function missingScopes(
  parts: Parts,
  { method, params = {} }: RequestMessage,
  auth: AuthInfo | undefined,
): Promise<readonly string[]> {
  try {
    requireScopes({ auth, network: 'tcp' }, (await methods.get(method)?.(parts, params, auth)) ?? []);
    return [];
  } catch (error) {
    // A WeakMap has nothing under what is no object.
    return lackedScopes.get(error as object) ?? [];
  }
}

/** What is known of the scopes of a server. */
export function scopeGuard(parts: Parts): ScopeGuard {
  const registries: readonly Registry<unknown>[] = [parts.tools, parts.resources, parts.templates, parts.prompts];
  return {
    knownScopes: () =>
      registries.flatMap((registry) =>
        registry.entries().flatMap(({ restrictions }) => [...knownScopes(restrictions)]),
      ),
    missingScopes: async (request, auth) =>
      registries.some(({ restricted }) => restricted) ? missingScopes(parts, request, auth) : [],
  };
}

async function ofTool(
  { tools }: Parts,
  params: Readonly<Record<string, unknown>>,
  auth: AuthInfo | undefined,
): Promise<readonly string[]> {
  const entry = tools.entry(String(params['name']), auth);
  if (typeof entry?.restrictions.scopes !== 'function') return entry?.restrictions.scopes ?? [];
  const checked = await entry.value.input.validate(params['arguments'] ?? {});
  return checked.problems === undefined ? neededScopes(entry.restrictions, checked.value) : [];
}

async function ofPrompt(
  { prompts }: Parts,
  params: Readonly<Record<string, unknown>>,
  auth: AuthInfo | undefined,
): Promise<readonly string[]> {
  const entry = prompts.entry(String(params['name']), auth);
  if (typeof entry?.restrictions.scopes !== 'function') return entry?.restrictions.scopes ?? [];
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, string>>;
  return neededScopes(entry.restrictions, await checkedArguments(entry.value, args));
}

/** What reading and watching a resource needs: that of its definition, or of the first template that it follows. */
export function ofResource(
  { resources, templates }: Parts,
  uri: string,
  auth: AuthInfo | undefined,
): readonly string[] {
  const entry = resources.entry(uri, auth);
  if (entry !== undefined) return neededScopes(entry.restrictions, uri);
  const [found] = matching(resources, templates, uri, auth);
  return found === undefined ? [] : neededScopes(found[0].restrictions, found[1]);
}

function ofCompletion(
  { prompts, templates }: Parts,
  params: Readonly<Record<string, unknown>>,
  auth: AuthInfo | undefined,
): readonly string[] {
  // What is not of this type throws, and is refused where it runs.
  const { ref, context } = params as unknown as CompleteRequestParams;
  return neededScopes(entryOf({ prompts, templates, auth }, ref).restrictions, context?.arguments ?? {});
}
