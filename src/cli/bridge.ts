import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Bridge } from '../bridge/bridge.ts';
import type { TransportKind } from '../jsonrpc/transport.ts';
import { listen } from '../node/http.ts';
import { revisions } from '../protocol/revision.ts';
import { serveStdio } from '../stdio/server.ts';
import { aborted, printable, reasonOf, UsageError, type Io } from './io.ts';
import { parse, revisionDates, wholeNumber, type Parsed } from './options.ts';
import { createBridge } from './peers.ts';
import { commandTarget, splitAtDashes, targetOptions, transportOf, urlTarget, type Target } from './target.ts';
import { version } from './version.ts';

const options: ParseArgsOptionsConfig = {
  ...targetOptions,
  port: { type: 'string' },
  host: { type: 'string' },
  path: { type: 'string' },
  stdio: { type: 'boolean' },
  'allow-host': { type: 'string', multiple: true },
  'allow-origin': { type: 'string', multiple: true },
  revision: { type: 'string', multiple: true },
  'upstream-revision': { type: 'string', multiple: true },
};

/** Puts one endpoint in front of a server. */
export async function bridge(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const parsed = parse(before, options);
  return front(targetOf(parsed.words, after), parsed, io);
}

/** The bridge in front of the example server. */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parse(argv, options);
  const [word] = parsed.words;
  if (word !== undefined)
    throw new UsageError(`parley start takes no arguments, such as ${JSON.stringify(word)}; parley bridge does`);
  const main = new URL(import.meta.url.endsWith('.ts') ? './main.ts' : './main.js', import.meta.url);
  return front(commandTarget([process.execPath, fileURLToPath(main), 'example']), parsed, io);
}

function targetOf(words: readonly string[], command: readonly string[] | undefined): Target {
  const [url, extra] = words;
  if (command !== undefined) {
    if (url !== undefined)
      throw new UsageError(`${JSON.stringify(url)} stands before --; give a URL or a command, not both`);
    return commandTarget(command);
  }
  if (url === undefined) throw new UsageError('give the URL of a server, or -- and the command that starts one');
  if (extra !== undefined)
    throw new UsageError(`${JSON.stringify(extra)} is one argument too many; a command goes after --`);
  return urlTarget(url);
}

async function front(target: Target, parsed: Parsed, io: Io): Promise<number> {
  // What makes no sense is told before anything is started.
  const address = addressOf(parsed, io);
  const revisions = revisionDates(parsed.texts('revision'));
  const upstreamRevisions = revisionDates(parsed.texts('upstream-revision'));
  const transport = transportOf(target, parsed, io);
  const complain = (message: string): void => void io.stderr.write(`parley: ${printable(message)}\n`);
  const opening = createBridge({
    upstream: transport,
    signal: io.signal,
    ...(revisions === undefined ? {} : { revisions }),
    ...(upstreamRevisions === undefined ? {} : { upstreamRevisions }),
    onError: (error, place) => complain(`${place}: ${reasonOf(error)}`),
    onWarning: complain,
  });
  const served = await Promise.race([opening, aborted(io.signal)]);
  // The process ends, and the children with it.
  if (served === undefined) throw new Error('ended before the server had answered');
  try {
    const introduction = introduce(served, transport.kind);
    await (parsed.flag('stdio')
      ? overStdio(served, introduction, io)
      : overHttp(served, introduction, { address, io }));
    return 0;
  } finally {
    await served.close();
  }
}

interface Address {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

function addressOf(parsed: Parsed, io: Io): Address {
  const port = parsed.text('port') ?? nonEmpty(io.env['PORT']);
  const path = parsed.text('path') ?? '/mcp';
  if (!/^\/[^?#\s]*$/.test(path))
    throw new UsageError(`--path must begin with / and have no query, unlike ${JSON.stringify(path)}`);
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
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function introduce({ upstream, endpoint }: Bridge, kind: TransportKind): string {
  const { server, revision, description } = upstream;
  const name = server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
  const dates = endpoint.revisions.map(({ date }) => date).join(', ');
  return printable(
    `parley ${version} in front of ${name}, which speaks ${revision} over ${kind}\n  server   ${description}\n  serves   ${dates}\n`,
  );
}

/** Every word goes to stderr: stdout belongs to the protocol. */
async function overStdio(served: Bridge, introduction: string, io: Io): Promise<void> {
  io.stderr.write(`${introduction}  client   standard input and output\n`);
  const stdio = serveStdio(served, { input: io.stdin, output: io.stdout });
  await Promise.race([stdio.closed, aborted(io.signal)]);
  await stdio.close();
}

const oldest = revisions[0]?.date;

async function overHttp(
  served: Bridge,
  introduction: string,
  { address, io }: { readonly address: Address; readonly io: Io },
): Promise<void> {
  const http = await listen(served, {
    ...address,
    // Clients of 2024-11-05 know nothing else. (Spec 2024-11-05, Transports: HTTP with SSE.)
    ssePair: { sse: '/sse', messages: '/messages' },
    onError: (error) => void io.stderr.write(`parley: ${reasonOf(error)}\n`),
  });
  // The addresses that mean "all of this machine's" are not for connecting to.
  const url = http.url.replace(/^http:\/\/(0\.0\.0\.0|\[::\]):/, 'http://localhost:');
  const entry = { mcpServers: { [served.upstream.server?.name ?? 'server']: { type: 'http', url } } };
  io.stdout.write(
    printable(
      `${introduction}  url      ${url}\n  also     ${new URL('/sse', url).href} (HTTP+SSE, for clients of ${oldest})\n  connect  ${JSON.stringify(entry)}\n  try      parley call ${url}\n${warningOn(address)}`,
    ),
  );
  await aborted(io.signal);
  await http.close();
}

/** Spec 2025-11-25, Transports, Security Warning: the Host check is what keeps DNS rebinding out. */
function warningOn({ host, allowedHosts }: Address): string {
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return '';
  const everywhere = host === '0.0.0.0' || host === '::';
  const names = ['localhost', ...(everywhere ? [] : [host]), ...allowedHosts].join(', ');
  return `  note     other machines can connect, and nobody is asked who they are; it answers to the names ${names} alone (--allow-host adds one)\n`;
}
