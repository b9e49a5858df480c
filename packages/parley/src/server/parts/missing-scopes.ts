/** Scopes that requests need, asked before they run. */

import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import { mapMaybe, type MaybePromise } from '../../storage/maybe-promise.ts';
import { lackedScopes, requireScopes, type ScopeGuard } from '../runtime/protection.ts';
import type { CompleteRequestParams } from '../../protocol/features/completion.ts';
import type { ServerParts } from './parts.ts';
import { entryOf } from '../features/completion.ts';
import { knownScopes, neededScopes } from '../features/needed-scopes.ts';
import { checkedArguments } from '../features/prompting.ts';
import { matching, resourceAt } from '../features/reading.ts';
import type { Registry } from '../definition/registry.ts';

/** Parameters of a request. For a known method, its row read them. Others are checked when the request runs. */
export type CallParams = Readonly<Record<string, unknown>>;

/** Finds the scopes of a request. It throws if the request is wrong. */
type Needs = (parts: ServerParts, params: CallParams, auth: AuthInfo | undefined) => MaybePromise<readonly string[]>;

const needs: ReadonlyMap<string, Needs> = new Map<string, Needs>([
  ['tools/call', ofTool],
  ['prompts/get', ofPrompt],
  ['resources/read', ofResource],
  ['resources/subscribe', ofResource],
  ['subscriptions/listen', ofListen],
  ['completion/complete', ofCompletion],
]);

/** Gives all scopes that a request needs, of what its sender may know of. */
export function scopesNeeded(method: string, ...about: Parameters<Needs>): MaybePromise<readonly string[]> {
  return (needs.get(method) ?? ofOwn(method))(...about);
}

/** Makes the scope guard of a server. */
export function scopeGuard(parts: ServerParts): ScopeGuard {
  const { tools, resources, templates, prompts, methods } = parts;
  const registries: readonly Registry<unknown>[] = [tools, resources, templates, prompts, methods];
  return {
    knownScopes: () =>
      registries.flatMap((registry) =>
        registry.entries().flatMap(({ restrictions }) => [...knownScopes(restrictions)]),
      ),
    missingScopes: async ({ method, params = {} }: RequestMessage, auth) => {
      try {
        requireScopes({ auth, network: 'tcp' }, await scopesNeeded(method, parts, params, auth));
        return [];
      } catch (error) {
        // An invalid request fails when it runs. A WeakMap returns nothing for a key that is not an object.
        return lackedScopes.get(error as object) ?? [];
      }
    },
  };
}

async function ofTool(
  { tools }: ServerParts,
  params: CallParams,
  auth: AuthInfo | undefined,
): Promise<readonly string[]> {
  const entry = tools.entry(String(params['name']), auth);
  if (entry === undefined) return [];
  const { value, restrictions } = entry;
  if (typeof restrictions.scopes !== 'function') return restrictions.scopes ?? [];
  const checked = await value.input.validate(params['arguments'] ?? {});
  return checked.problems === undefined ? neededScopes(restrictions, checked.value) : [];
}

async function ofPrompt(
  { prompts }: ServerParts,
  params: CallParams,
  auth: AuthInfo | undefined,
): Promise<readonly string[]> {
  const entry = prompts.entry(String(params['name']), auth);
  if (entry === undefined) return [];
  const { value, restrictions } = entry;
  if (typeof restrictions.scopes !== 'function') return restrictions.scopes ?? [];
  // A value that is not a string is rejected when the request runs.
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, string>>;
  return neededScopes(restrictions, await checkedArguments(value, args));
}

/** A protocol method without required scopes is not one of the server's own methods. */
function ofOwn(method: string): Needs {
  return ({ methods }, { _meta, ...own }, auth) => {
    const entry = methods.entry(method, auth);
    if (entry === undefined) return [];
    const { value, restrictions } = entry;
    if (typeof restrictions.scopes !== 'function') return restrictions.scopes ?? [];
    return mapMaybe(value.params?.validate(own) ?? { value: own }, (checked) =>
      checked.problems === undefined ? neededScopes(restrictions, checked.value) : [],
    );
  };
}

/** Gives what reading and watching a resource needs: by its definition, or by the first template that it follows. */
function ofResource(parts: ServerParts, { uri }: CallParams, auth: AuthInfo | undefined): readonly string[] {
  const entry = resourceAt(parts.resources, String(uri), auth);
  if (entry !== undefined) return neededScopes(entry.restrictions, uri);
  const [found] = matching(parts.resources, parts.templates, String(uri), auth);
  return found === undefined ? [] : neededScopes(found[0].restrictions, found[1]);
}

function ofListen(parts: ServerParts, params: CallParams, auth: AuthInfo | undefined): readonly string[] {
  return [...new Set(watched(parts, params).flatMap((uri) => ofResource(parts, { uri }, auth)))];
}

/** Lists the resources of a subscription, up to the limit: each is looked up among all resources. */
export function watched({ options }: ServerParts, params: CallParams): readonly string[] {
  const { notifications } = params as {
    readonly notifications?: { readonly resourceSubscriptions?: readonly string[] };
  };
  return notifications?.resourceSubscriptions?.slice(0, options.subscriptions.resourcesPerClient) ?? [];
}

function ofCompletion(
  { prompts, templates }: ServerParts,
  params: CallParams,
  auth: AuthInfo | undefined,
): readonly string[] {
  // Parameters of another type throw, and are rejected when the request runs.
  const { ref, context } = params as unknown as CompleteRequestParams;
  return neededScopes(entryOf({ prompts, templates, auth }, ref).restrictions, context?.arguments ?? {});
}
