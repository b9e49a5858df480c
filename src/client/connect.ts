import { loadedOnce } from '../options/loaded-once.ts';
import { withPlainNumbers } from '../json/exact-number.ts';
import { serverUrl } from '../jsonrpc/server-url.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { factsOf } from '../jsonrpc/transport-facts.ts';
import { refuseUnknown, type Names } from '../options/known-names.ts';
import { unguessable } from './cache/cache-options.ts';
import { ResponseCache } from './cache/cache.ts';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import { givingUp } from './giving-up.ts';
import { answering } from './input/inputs.ts';
import { KnownTools, type OutputCheck } from './known-tools.ts';
import { checkConnectOptions, optionNames } from './option-names.ts';
import { settingsOf, type ClientSettings, type ConnectOptions } from './options.ts';
import { Reconnecting } from './connection/reconnecting.ts';
import type { ClientSubscriptions, SubscriptionsOptions } from './subscriptions/subscriptions.ts';
import type { HostedTasks, HostedTasksParts } from './tasks/hosted.ts';
import { createKnownServers } from './connection/negotiated.ts';

/** The transports that URLs stand for. */
export interface TransportFactories<HttpOptions> {
  /** Makes the transport of an `http:` or `https:` URL. */
  http(url: URL, options: HttpOptions): Transport;
  /** The names of its options; without them nobody is told of options that do not exist. */
  readonly options?: Names<HttpOptions>;
}

/**
 * Connects to a server and settles the newest revision that both sides speak.
 *
 * @param target Where the server is: a transport, or a URL.
 * @throws TypeError for options or a target that make no sense.
 * @throws IncompatibleError when no revision is common.
 * @throws ConnectionError when the server is not reached or answers nothing that is MCP.
 * @throws McpError when the server refuses with an error of its own.
 */
export type Connect<HttpOptions> = (
  target: Transport | URL | string,
  options?: ConnectOptions & HttpOptions,
) => Promise<Client>;

/** Makes `connect`; what it finds out about servers is remembered by this one function. */
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
    // How a transport is authorized says what follows from it; what the user says comes first.
    if (auth !== undefined)
      settings = settingsOf({
        authContext: () => auth.context(),
        ...options,
        extensions: { ...auth.extensions, ...options.extensions },
      });
    if (settings.inputs.installed) await answering();
    const { description, carriesHeaders } = factsOf(transport);
    const server = isTransport(target) ? description : serverUrl(target).href;
    const hosted = await hostedTasks(settings, server, (params) =>
      connection.notify('notifications/tasks/status', params),
    );
    const handlers = hosted?.handlers ?? settings.inputs.handlers;
    const connection = await givingUp(settings, () =>
      Reconnecting.open({ transport, settings, knownServers, handlers }),
    );
    if (hosted !== undefined) connection.observe({ ended: () => void hosted.close() });
    hosted?.begin();
    const cache = cacheOf(connection, settings, isTransport(target) ? undefined : serverUrl(target));
    // The cache comes first: who hears of a change finds nothing stale in it.
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

/** Most clients host no tasks: what that takes is loaded by those that do. */
async function hostedTasks(
  settings: ClientSettings,
  server: string,
  tell: HostedTasksParts['tell'],
): Promise<HostedTasks | undefined> {
  if (settings.hostTasks === undefined) return undefined;
  const late = await import('./tasks/hosted.ts');
  return new late.HostedTasks({ settings, server, tell });
}

/** Most clients never subscribe: what that takes is loaded by the first subscription. */
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
    // Other processes may read what is in a store that somebody gave us.
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

/** The check where numbers come with their spelling, in the schema and in the results: to it they are what they mean. */
async function compilePlainOutput(schema: unknown): Promise<OutputCheck> {
  const compiled = await compileOutput(withPlainNumbers(schema));
  return { ...compiled, lost: undefined, check: (value) => compiled.check(withPlainNumbers(value)) };
}
