/** The handlers of a server of which something is not for everybody. */

import type { Call } from '../../host/call.ts';
import type { Handler } from '../../host/host.ts';
import { requireScopes } from '../../host/protection.ts';
import { McpError } from '../../protocol/error.ts';
import type { CallToolRequestParams } from '../../protocol/features/tools.ts';
import type { Parts } from '../parts.ts';
import { ofResource } from './missing-scopes.ts';
import { fixedScopes, neededScopes } from './needed-scopes.ts';
import { isFoundAtRunTime, matching } from './reading.ts';
import { callTool, failedByProtocol } from './tools.ts';
import { ownScope, visiblePage } from './visible-lists.ts';

/** Answers a request in the place of a handler that is for everybody. */
type Instead = (parts: Parts, params: Readonly<Record<string, unknown>>, call: Call, handler: Handler) => unknown;

/** Those that see to it themselves (reads, prompts, completions) are not among them. */
const instead: ReadonlyMap<string, Instead> = new Map<string, Instead>([
  [
    'tools/list',
    ({ tools, options }, params, call) =>
      visiblePage(tools, (items) => ({ tools: items.map(({ tool }) => tool) }), { options, params, call }),
  ],
  [
    'prompts/list',
    ({ prompts, options }, params, call) =>
      visiblePage(prompts, (items) => ({ prompts: items.map(({ prompt }) => prompt) }), { options, params, call }),
  ],
  [
    'resources/templates/list',
    ({ templates, options }, params, call) =>
      visiblePage(
        templates,
        (items) => ({ resourceTemplates: items.map(({ resourceTemplate }) => resourceTemplate) }),
        { options, params, call },
      ),
  ],
  ['resources/list', listResources],
  ['tools/call', callRestricted],
  ['resources/subscribe', subscribe],
  ['subscriptions/listen', listen],
]);

/** The handler that takes the place of another. */
export function restricted(parts: Parts, handler: Handler): Handler {
  return (params, call) => {
    const own = instead.get(call.method);
    return own === undefined ? handler(params, call) : own(parts, params, call, handler);
  };
}

async function listResources(
  parts: Parts,
  params: Readonly<Record<string, unknown>>,
  call: Call,
  handler: Handler,
): Promise<unknown> {
  const { resources, templates, options } = parts;
  // What templates name at run time is looked through by the handler itself.
  if (!isFoundAtRunTime(templates, params['cursor'] as string | undefined))
    return visiblePage(resources, (items) => ({ resources: items.map(({ resource }) => resource) }), {
      options,
      params,
      call,
    });
  const result = await handler(params, call);
  return { ...(result as object), ...ownScope(resources, templates) };
}

/** NeededScopes that are known before the arguments come before these. */
function callRestricted(
  { tools, options }: Parts,
  params: Readonly<Record<string, unknown>>,
  call: Call,
  handler: Handler,
): unknown {
  // The conversation read them by the row of the method.
  const asked = params as unknown as CallToolRequestParams;
  const restrictions = tools.entry(asked.name, call.auth)?.restrictions ?? {};
  try {
    requireScopes(call, fixedScopes(restrictions));
  } catch (error) {
    if (error instanceof McpError) return failedByProtocol(error, call);
    throw error;
  }
  if (typeof restrictions.scopes !== 'function') return handler(params, call);
  const before = (args: unknown): void => requireScopes(call, neededScopes(restrictions, args));
  return callTool(tools, asked, call, { ...options, before });
}

/** What a client may not know of is as what there is not: nothing is ever told of it. */
function subscribe(parts: Parts, params: Readonly<Record<string, unknown>>, call: Call, handler: Handler): unknown {
  const uri = String(params['uri']);
  requireScopes(call, ofResource(parts, uri, call.auth));
  return isThere(parts, uri, call) ? handler(params, call) : {};
}

function listen(parts: Parts, params: Readonly<Record<string, unknown>>, call: Call, handler: Handler): unknown {
  const { notifications } = params as {
    readonly notifications: { readonly resourceSubscriptions?: readonly string[] };
  };
  const { resourceSubscriptions: uris = [] } = notifications;
  if (uris.length === 0) return handler(params, call);
  requireScopes(call, [...new Set(uris.flatMap((uri) => ofResource(parts, uri, call.auth)))]);
  const resourceSubscriptions = uris.filter((uri) => isThere(parts, uri, call));
  return handler({ ...params, notifications: { ...notifications, resourceSubscriptions } }, call);
}

function isThere({ resources, templates }: Parts, uri: string, { auth }: Call): boolean {
  return resources.find(uri, auth) !== undefined || matching(resources, templates, uri, auth).next().done !== true;
}
