import type { Handler, ServerSession } from '../../host/host.ts';
import type { Call } from '../../host/call.ts';
import { McpError } from '../../protocol/error.ts';
import { methodsWith, type RequestTypes } from '../../protocol/catalogue.ts';
import type { Changes } from '../changes.ts';
import type { UpstreamTools } from '../known-tools.ts';
import type { Pool } from '../upstream/pool.ts';
import type { UpstreamWatches } from './watches.ts';

/** Parts that the handlers of a bridge work with. */
export interface BridgeParts {
  readonly pool: Pool;
  readonly tools: UpstreamTools;
  readonly changes: Changes;
  readonly watches: UpstreamWatches;
}

type Handlers = {
  readonly [Method in keyof RequestTypes]?: (params: RequestTypes[Method]['params'], call: Call) => unknown;
};

/** The handlers of what a bridge serves, by method. */
export function bridgeHandlers({ pool, tools, changes, watches }: BridgeParts): ReadonlyMap<string, Handler> {
  const carry: Handler = (params, call) => pool.carry(params, call);
  const own: Handlers = {
    'tools/list': async (params, call) => tools.seen(await pool.carry({ ...params }, call)),
    'tools/call': async (params, call) => tools.fitted(await pool.carry({ ...params }, call), params.name, call.facts),
    'logging/setLevel': async ({ level }, call) => {
      // Before its first call a session has no connection yet; then the level is told with it.
      await pool.setLevel(level, sessionOf(call), call);
      return {};
    },
    'resources/subscribe': ({ uri }, call) => watches.watch(uri, sessionOf(call)),
    'resources/unsubscribe': ({ uri }, call) => watches.unwatch(uri, sessionOf(call)),
    'subscriptions/listen': ({ notifications }, call) => {
      const filter = changes.honored(notifications);
      const { resourceSubscriptions = [] } = filter;
      return resourceSubscriptions.length === 0
        ? changes.listen(call, filter)
        : watches.listen(call, { ...filter, resourceSubscriptions });
    },
  };
  return new Map([
    ...methodsWith(({ carried }) => carried !== undefined).map((method): [string, Handler] => [method, carry]),
    // Each handler gets the parameters of its own method: the conversation read them by the method's row.
    ...(Object.entries(own) as [string, Handler][]),
  ]);
}

/** These methods exist in the handshake revisions alone, which always have a session. */
function sessionOf(call: Call): ServerSession {
  if (call.session === undefined) throw new McpError('methodNotFound', `${call.method} needs a session`);
  return call.session;
}
