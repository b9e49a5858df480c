/** Handlers of a server of which something is not for everybody. */

import type { Call } from '../runtime/call.ts';
import type { Handler } from '../runtime/server-core.ts';
import { mapMaybe } from '../../storage/maybe-promise.ts';
import { requireScopes } from '../runtime/protection.ts';
import type { ServerParts } from './parts.ts';
import { scopesNeeded, watched, type CallParams } from './missing-scopes.ts';
import { isFoundAtRunTime, matching, resourceAt } from '../features/reading.ts';
import { ownScope, visiblePage } from './visible-lists.ts';

/** Answers a request in place of a handler without restrictions. */
type Instead = (
  parts: ServerParts,
  request: { readonly params: CallParams; readonly call: Call },
  handler: Handler,
) => unknown;

const instead: ReadonlyMap<string, Instead> = new Map<string, Instead>([
  [
    'tools/list',
    (parts, request) => visiblePage(parts.tools, ({ tool }) => tool, { parts, name: 'tools', ...request }),
  ],
  [
    'prompts/list',
    (parts, request) => visiblePage(parts.prompts, ({ prompt }) => prompt, { parts, name: 'prompts', ...request }),
  ],
  [
    'resources/templates/list',
    (parts, request) =>
      visiblePage(parts.templates, ({ resourceTemplate }) => resourceTemplate, {
        parts,
        name: 'resourceTemplates',
        ...request,
      }),
  ],
  ['resources/list', listResources],
  // An item that a client may not see behaves as if it did not exist: the client is never notified of it.
  [
    'resources/subscribe',
    (parts, { params, call }, handler) => (isThere(parts, String(params['uri']), call) ? handler(params, call) : {}),
  ],
  ['subscriptions/listen', listen],
]);

/** Gives the handler that takes the place of another: visibility comes first, then scopes. */
export function restricted(parts: ServerParts, handler: Handler): Handler {
  return (params, call) => {
    const own = instead.get(call.method);
    return mapMaybe(scopesNeeded(call.method, parts, params, call.auth), (scopes) => {
      requireScopes(call, scopes);
      return own === undefined ? handler(params, call) : own(parts, { params, call }, handler);
    });
  };
}

async function listResources(parts: ServerParts, request: Parameters<Instead>[1], handler: Handler): Promise<unknown> {
  const { resources, templates } = parts;
  const { params, call } = request;
  // The method's row already read it. The handler itself looks through the resources that templates list at run time.
  if (!isFoundAtRunTime(templates, params['cursor'] as string | undefined))
    return visiblePage(resources, ({ resource }) => resource, { parts, name: 'resources', ...request });
  const result = await handler(params, call);
  return { ...(result as object), ...ownScope(resources, templates) };
}

function listen(parts: ServerParts, { params, call }: Parameters<Instead>[1], handler: Handler): unknown {
  const uris = watched(parts, params);
  const { notifications } = params as { readonly notifications: object };
  const resourceSubscriptions = uris.filter((uri) => isThere(parts, uri, call));
  return handler(
    uris.length === 0 ? params : { ...params, notifications: { ...notifications, resourceSubscriptions } },
    call,
  );
}

/** Tells whether a resource exists for a caller, including the caller's restrictions. */
export function isThere({ resources, templates }: ServerParts, uri: string, { auth }: Pick<Call, 'auth'>): boolean {
  return (
    resourceAt(resources, uri, auth) !== undefined || matching(resources, templates, uri, auth).next().done !== true
  );
}
