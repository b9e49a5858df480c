/** Sends uses of mounted items through the middleware of the mounted server. */

import type { MountedUse } from '../definition/mounted-use.ts';
import type { Call } from '../runtime/call.ts';
import { isExtensionResult } from '../runtime/extension-result.ts';
import { HostMessage, passedResult } from '../runtime/middleware/passing.ts';
import { requireScopes } from '../runtime/protection.ts';
import { RoundEnded } from '../../connection/client-request.ts';
import { pass } from '../../connection/middleware/pass.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { mapMaybe, isLater, catchMaybe, type MaybePromise } from '../../storage/maybe-promise.ts';
import { handlersOf, restrictedHandler } from '../parts/handlers.ts';
import { scopesNeeded } from '../parts/missing-scopes.ts';
import type { ServerParts } from '../parts/parts.ts';
import { withinRates } from '../parts/within.ts';

/** MountedWay through a mounted server. */
export interface MountedWay {
  readonly inner: ServerParts;
  /** Parameters with the name that the server itself has, of those with the name that its client has. */
  own(params: JsonObject): JsonObject;
  /** Runs the code behind the middleware, with parameters in the client's terms. */
  run(params: JsonObject): unknown;
}

/** Stand-in that middleware sees for an extension result, whose fields are not those of the protocol. */
const ofExtension: JsonObject = Object.freeze({ resultType: 'extension' });

/**
 * Sends a use through the middleware of a mounted server, which sees it as that server would, and then through its
 * limits.
 *
 * @returns `undefined` if the item turns out not to exist.
 */
export function through(use: MountedUse, { inner, own, run }: MountedWay): unknown {
  const behind = (params: JsonObject): unknown =>
    withinRates({ method: use.method, name: own(params)['name'], call: use.call }, inner.rated, () => run(params));
  return inner.chain.used ? passed(use, { inner, own, run: behind }) : behind(use.params);
}

function passed({ method, params, call }: MountedUse, { inner, own, run }: MountedWay): unknown {
  const given = own(params);
  const nothing = new McpError('resourceNotFound', 'the resource does not exist');
  let result: unknown;
  let shown: unknown;
  // The end of a run for its questions is no failure: what middleware makes of it is ignored.
  let ended: RoundEnded | undefined;
  const behind = (changed: JsonObject): unknown =>
    catchMaybe<unknown>(
      () => later(changed === given ? run(params) : changedRun(changed, { method, call, inner, params, given, run })),
      (error) => {
        if (error instanceof RoundEnded) ended = error;
        throw error;
      },
    );
  const core = (changed: JsonObject): MaybePromise<JsonObject> =>
    mapMaybe(behind(changed), (value) => {
      if (value === undefined) throw nothing;
      result = value;
      shown = isExtensionResult(value) ? ofExtension : value;
      return shown as JsonObject;
    });
  const outcome = catchMaybe<unknown>(
    () => later(pass(inner.chain, aboutOf(method, given, { call, inner }), given, core)),
    (error) => {
      if (error === nothing) return undefined;
      throw ended ?? error;
    },
  );
  return mapMaybe(outcome, (left) => {
    if (ended !== undefined) throw ended;
    if (left === undefined || left === shown) return left === undefined ? undefined : result;
    return passedResult(method, left as JsonObject, { row: methodOf(method), isOther: result !== shown });
  });
}

function aboutOf(
  method: MountedUse['method'],
  given: JsonObject,
  { call, inner }: { readonly call: MountedUse['call']; readonly inner: ServerParts },
): HostMessage {
  const { facts, session, auth, requestId, network, address } = call;
  // The name of a tool or a prompt is a text.
  const name = String(given['name']);
  return new HostMessage(method, {
    direction: 'received',
    kind: 'request',
    facts,
    link: { network, address, id: session?.id },
    session,
    auth,
    requestId,
    live: call,
    known: () => {
      if (method === 'tools/call') return inner.tools.find(name, auth) !== undefined;
      return method === 'prompts/get' ? inner.prompts.find(name, auth) !== undefined : true;
    },
  });
}

/** Runs changed parameters. They may need other scopes, and name another item of the mounted server. */
function changedRun(
  changed: JsonObject,
  use: Pick<MountedWay, 'inner' | 'run'> &
    Pick<MountedUse, 'method' | 'call' | 'params'> & { readonly given: JsonObject },
): unknown {
  const { method, call, inner, params, given, run } = use;
  return mapMaybe(scopesNeeded(method, inner, changed, call.auth), (scopes) => {
    requireScopes(call, scopes);
    const isSame = (['name', 'uri', 'ref'] as const).every(
      (key) => JSON.stringify(changed[key]) === JSON.stringify(given[key]),
    );
    const { name, ref } = params;
    if (isSame)
      return run({ ...changed, ...(name === undefined ? {} : { name }), ...(ref === undefined ? {} : { ref }) });
    const handler = restrictedHandler(inner, handlersOf(inner), method);
    // A use of a mounted item always belongs to a call of the method.
    return handler?.(changed, call as Call);
  });
}

/** Converts a later value to a promise, whatever it is. */
function later<T>(value: T | PromiseLike<T>): T | Promise<T> {
  return isLater(value) ? Promise.resolve(value) : (value as T);
}
