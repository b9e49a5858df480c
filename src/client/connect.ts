import type { Transport } from '../jsonrpc/transport.ts';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import { KnownTools, type OutputCheck } from './known-tools.ts';
import { settingsOf, type ConnectOptions } from './options.ts';
import { Session } from './session.ts';
import { createVerdicts } from './verdicts.ts';

/** The transports that URLs stand for. */
export interface TransportFactories<HttpOptions> {
  /** Makes the transport of an `http:` or `https:` URL. */
  http(url: URL, options: HttpOptions): Transport;
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
  const verdicts = createVerdicts();
  return async (target, options) => {
    const settings = settingsOf(options ?? {});
    // Every option of HTTP is optional, so that no options at all are options of HTTP.
    const transport = isTransport(target) ? target : factories.http(urlOf(target), (options ?? {}) as HttpOptions);
    const session = await Session.open({ transport, settings, verdicts, handlers: settings.inputs.handlers });
    const { description, kind } = transport;
    return createClient({
      session,
      settings,
      known: new KnownTools(compileOutput),
      description,
      overHttp: kind === 'http',
    });
  };
}

function isTransport(target: Transport | URL | string): target is Transport {
  return typeof target === 'object' && 'open' in target;
}

function urlOf(target: URL | string): URL {
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`a server is reached by http: or https:, not ${url.protocol}`);
  return url;
}

async function compileOutput(schema: unknown): Promise<OutputCheck> {
  const { compileSchema } = await import('../schema/json-schema.ts');
  const compiled = await compileSchema(schema);
  return (value) => compiled.check(value);
}
