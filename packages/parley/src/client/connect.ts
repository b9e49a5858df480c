import { loadedOnce } from '../options/loaded-once.ts';
import { withPlainNumbers } from '../json/exact-number.ts';
import { serverUrl } from '../jsonrpc/server-url.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { factsOf } from '../jsonrpc/transport-facts.ts';
import { refuseUnknown, type Names } from '../options/known-names.ts';
import { unguessable } from './api/cache-options.ts';
import { ResponseCache } from './cache/cache.ts';
import type { Client } from './api/client.ts';
import { createClient } from './create-client.ts';
import { givingUp } from './api/giving-up.ts';
import { answering } from './input/inputs.ts';
import { KnownTools, type OutputCheck } from './requests/known-tools.ts';
import { checkConnectOptions, optionNames } from './requests/option-names.ts';
import { settingsOf, type ClientSettings } from './requests/settings.ts';
import { type ConnectOptions } from './api/options.ts';
import { Reconnecting } from './requests/reconnecting.ts';
import type { ClientSubscriptions, SubscriptionsOptions } from './subscriptions/subscriptions.ts';
import type { HostedTasks, HostedTasksParts } from './tasks/client-side-tasks.ts';
import { createKnownServers } from './connection/negotiation-cache.ts';

/** The transports for URLs. */
export interface TransportFactories<HttpOptions> {
  /** Makes the transport of an `http:` or `https:` URL. */
  http(url: URL, options: HttpOptions): Transport;
  /** The names of its options. Without them, unknown options are not reported. */
  readonly options?: Names<HttpOptions>;
}

/**
 * Connects to a server in the newest revision that both sides support.
 *
 * @param target The server: a transport, or a URL.
 * @throws TypeError for invalid options or an invalid target.
 * @throws IncompatibleError if no revision is common.
 * @throws ConnectionError if the server cannot be reached or its answers are not MCP.
 * @throws McpError if the server rejects with an error of its own.
 */
export type Connect<HttpOptions> = (
  target: Transport | URL | string,
  options?: ConnectOptions & HttpOptions,
) => Promise<Client>;

/** Makes `connect`. This one function remembers what it learned about servers. */
export function createConnect<HttpOptions extends object>(
  factories: TransportFactories<HttpOptions>,
): Connect<HttpOptions> {
  const knownServers = createKnownServers();
  return async (target, given) => {
    // Every option of HTTP is optional, so that no options at all are options of HTTP.
    const options: ConnectOptions & HttpOptions = given ?? ({} as HttpOptions);
    if (factories.options !== undefined) refuseUnknown('connect', options, { ...optionNames, ...factories.options });
    checkConnectOptions(options);
    let settings = settingsOf(options);
    const transport = isTransport(target) ? target : factories.http(serverUrl(target), options as HttpOptions);
    const { authorization: auth } = transport;
    // A transport's authorization determines some settings. The user's settings take precedence.
    if (auth !== undefined)
      settings = settingsOf({
        authContext: () => auth.context(),
        ...options,
        extensions: { ...auth.extensions, ...options.extensions },
      });
    if (settings.inputs.installed) await answering();
    const { description, carriesHeaders } = factsOf(transport);
    const server = isTransport(target) ? description : serverUrl(target).href;
    const clientSideTasks = await hostedTasks(settings, server, (params) =>
      connection.notify('notifications/tasks/status', params),
    );
    const handlers = clientSideTasks?.handlers ?? settings.inputs.handlers;
    const connection = await givingUp(settings, () =>
      Reconnecting.open({ transport, settings, knownServers, handlers }),
    );
    if (clientSideTasks !== undefined) connection.observe({ ended: () => void clientSideTasks.close() });
    clientSideTasks?.begin();
    const cache = cacheOf(connection, settings, isTransport(target) ? undefined : serverUrl(target));
    // The cache comes first: a listener that learns of a change finds nothing stale in it.
    connection.observe({
      notified: (method, params) => cache.heard(method, params),
      gap: () => cache.clear(),
      reopened: () => cache.clear(),
    });
    return createClient({
      connection,
      settings,
      known: new KnownTools(settings.exactNumbers ? compilePlainOutput : compileOutput, (message) =>
        settings.onWarning?.(message),
      ),
      cache,
      subscriptions: lateSubscriptions({
        connection,
        settings,
        missed: (method, params) => cache.heard(method, params),
      }),
      description,
      carriesHeaders,
    });
  };
}

/** Most clients have no tasks of their own. Clients that do load this code. */
async function hostedTasks(
  settings: ClientSettings,
  server: string,
  tell: HostedTasksParts['tell'],
): Promise<HostedTasks | undefined> {
  if (settings.clientTasks === undefined) return undefined;
  const late = await import('./tasks/client-side-tasks.ts');
  return new late.HostedTasks({ settings, server, tell });
}

/** Most clients never subscribe. The first subscription loads this code. */
function lateSubscriptions(options: SubscriptionsOptions): Pick<ClientSubscriptions, 'open'> {
  const load = loadedOnce(async () => {
    const late = await import('./subscriptions/subscriptions.ts');
    return new late.ClientSubscriptions(options);
  });
  return { open: async (...given) => (await load()).open(...given) };
}

function isTransport(target: Transport | URL | string): target is Transport {
  return 'open' in Object(target);
}

function cacheOf(connection: Reconnecting, settings: ClientSettings, url: URL | undefined): ResponseCache {
  const { authContext, cacheKey, cacheStore, ownStore, now, clock, onWarning } = settings;
  return new ResponseCache({
    store: cacheStore,
    server: cacheKey ?? (url === undefined ? `unnamed ${unguessable()}` : `${url.origin}${url.pathname}${url.search}`),
    revision: () => (connection.revision.cacheHints ? connection.revision.date : undefined),
    context: authContext,
    // Other processes may read a store that the user passed in.
    now: ownStore ? clock : now,
    warn: (message, cause) => onWarning?.(message, cause),
  });
}

async function compileOutput(schema: unknown): Promise<OutputCheck> {
  const [{ compileUsable }, { lostDigitsBy }] = await Promise.all([
    import('../schema/usable/usable.ts'),
    import('../schema/usable/lost-digits.ts'),
  ]);
  return { ...(await compileUsable(schema)), lost: lostDigitsBy(schema, 'peer') };
}

/** The check for numbers that keep their text, in the schema and in results. It compares their numeric values. */
async function compilePlainOutput(schema: unknown): Promise<OutputCheck> {
  const compiled = await compileOutput(withPlainNumbers(schema));
  return { ...compiled, lost: undefined, check: (value) => compiled.check(withPlainNumbers(value)) };
}
