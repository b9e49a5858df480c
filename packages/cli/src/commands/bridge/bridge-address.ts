import { isIP } from 'node:net';
import type { Servable } from '../../../../parley/src/server/runtime/request-handler.ts';
import { isLoopback } from '../../../../parley/src/auth/common/network.ts';
import type { ClosingTimes } from '../../../../parley/src/transports/http/server/health/closing.ts';
import type { HealthPaths } from '../../../../parley/src/transports/http/server/exchanges/options.ts';
import { forwardingHeaders } from '../../../../parley/src/transports/node/server/proxies/forwarded.ts';
import {
  addressBehind,
  type TrustedProxies,
} from '../../../../parley/src/transports/node/server/proxies/trusted-proxies.ts';
import { inFlags } from '../in-flags.ts';
import { UsageError, type Io } from '../io.ts';
import { oneOption, milliseconds, wholeNumber, type ParsedOptions } from '../options.ts';

/** Address that a bridge listens at, and how it is to end there. */
export interface Address {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies?: TrustedProxies;
  readonly health?: HealthPaths;
  readonly closing: ClosingTimes;
}

/** A name under which others than this machine may reach an address; a host that is allowed is one that some proxy has. */
export function reachedByOthers({ host, allowedHosts }: Address): string | undefined {
  return [host, ...allowedHosts].find((name) => !isLoopback(name.replace(/:\d+$/, '')) && name !== '::1');
}

/** The options that only HTTP has. */
const httpOptions = [
  'port',
  'host',
  'path',
  'allow-host',
  'allow-origin',
  'trusted-proxy',
  'proxy-header',
  'health',
  'ready-ms',
  'drain-ms',
] as const;

/** Address to listen at; `undefined` on standard input and output. */
export function addressOf(parsed: ParsedOptions, io: Io): Address | undefined {
  if (parsed.flag('stdio')) {
    const given = httpOptions.find((name) => parsed.texts(name).length > 0 || parsed.flag(name));
    if (given !== undefined) throw new UsageError(`--${given} is for HTTP, and does not go with --stdio`);
    return undefined;
  }
  const port = parsed.text('port') ?? nonEmpty(io.env['PORT']);
  const path = parsed.text('path') ?? '/mcp';
  if (!/^\/[^?#\s]*$/.test(path))
    throw new UsageError(`--path must begin with / and have no query, unlike ${JSON.stringify(path)}`);
  const { pathname } = new URL(`http://localhost${path}`);
  // Clients ask for what a URL makes of it.
  if (pathname !== path)
    throw new UsageError(`--path must be written as in a URL: ${pathname}, not ${JSON.stringify(path)}`);
  // To listen on no address is to listen on all of them.
  if (parsed.text('host') === '') throw new UsageError('--host must name an address, and is empty');
  const origins = parsed.texts('allow-origin');
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new UsageError(`--allow-origin takes an origin such as https://app.example, not ${JSON.stringify(origin)}`);
  }
  return {
    port: port === undefined ? 3000 : wholeNumber('the port', port, [0, 65_535]),
    host: parsed.text('host') ?? nonEmpty(io.env['HOST']) ?? '127.0.0.1',
    path,
    allowedHosts: parsed.texts('allow-host'),
    allowedOrigins: origins,
    ...proxiesOf(parsed),
    ...(parsed.flag('health') && { health: healthPaths }),
    closing: closingOf(parsed),
  };
}

/** @throws UsageError for one of the two options without the other, and for what names no proxy. */
function proxiesOf(parsed: ParsedOptions): Pick<Address, 'trustedProxies'> {
  const addresses = parsed.texts('trusted-proxy');
  const header = oneOption(parsed, 'proxy-header', forwardingHeaders);
  if (header === undefined && addresses.length === 0) return {};
  if (header === undefined)
    throw new UsageError(
      `--trusted-proxy needs --proxy-header ${forwardingHeaders.join(' or --proxy-header ')}, whichever the proxies write`,
    );
  if (addresses.length === 0)
    throw new UsageError('--proxy-header needs --trusted-proxy <address>: without it the header is not used');
  const trustedProxies = { addresses, header };
  try {
    addressBehind(trustedProxies);
  } catch (error) {
    throw new UsageError(inFlags(error instanceof Error ? error.message : String(error)));
  }
  return { trustedProxies };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** The paths that platforms ask by custom. */
const healthPaths: HealthPaths = { live: '/livez', ready: '/readyz' };

/** The longest that an end may take in either of its parts: an hour. */
const maxMs = 3_600_000;

function closingOf(parsed: ParsedOptions): ClosingTimes {
  const times: Record<string, number> = {};
  for (const [flag, name] of [
    ['ready-ms', 'readyTimeoutMs'],
    ['drain-ms', 'drainTimeoutMs'],
  ] as const) {
    const text = parsed.text(flag);
    if (text !== undefined) times[name] = milliseconds(`--${flag}`, text, { least: 0, most: maxMs });
  }
  return times;
}

/** Warns that clients of a version without sessions cannot be told apart, since the command line knows no principals. */
export function warningOfAnonymous({ endpoint }: Pick<Servable, 'endpoint'>): string {
  const stateless = endpoint.revisions.filter(({ sessions }) => !sessions).map(({ date }) => date);
  if (stateless.length === 0) return '';
  return `  warning  clients of ${stateless.join(', ')} cannot be told apart here: they share the process or the session of a server, and what it asks or logs after an answer can reach the next of them (protect() of a program tells them apart; --revision 2025-11-25 gives each a session)\n`;
}

/** Spec 2025-11-25, Transports, Security Warning: the Host check is what keeps DNS rebinding out. */
export function warningOn({ host, allowedHosts }: Address): string {
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return '';
  const everywhere = host === '0.0.0.0' || host === '::';
  const names = ['localhost', ...(everywhere ? [] : [host]), ...allowedHosts].join(', ');
  return `  note     other machines can connect without authentication; it answers to the names ${names} alone (--allow-host adds one)\n`;
}
