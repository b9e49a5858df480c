import { StoreError } from '../../../parley/src/storage/store.ts';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Bridge, MergedBridge } from '../../../parley/src/bridge/bridge.ts';
import type { UpstreamFacts } from '../../../parley/src/bridge/single/single.ts';
import type { BridgeBehavior, UpstreamOptions } from '../../../parley/src/bridge/options.ts';
import type { UpstreamLogin } from '../../../parley/src/bridge/upstream-login.ts';
import { listen } from '../../../parley/src/transports/node/server/http.ts';
import type { Servable } from '../../../parley/src/server/runtime/request-handler.ts';
import { serveStdio } from '../../../parley/src/transports/stdio/server/serve.ts';
import { settledWithin } from '../../../parley/src/jsonrpc/timeout.ts';
import { configuredServer } from './call/configured.ts';
import { readConfig, type Config } from './config/config.ts';
import { addressOf, reachedByOthers, warningOfAnonymous, warningOn, type Address } from './bridge/bridge-address.ts';
import { EarlyInput } from './early-input.ts';
import { clipped } from './explain/text.ts';
import { revisionOf } from '../../../parley/src/protocol/revision.ts';
import { isTerminal, whenAborted, UsageError, type Io } from './io.ts';
import { limitOptions, limitsOf } from './bridge/limit.ts';
import { authOf, type LoginContext, type FoundAuth } from './login/auth-of.ts';
import { authOfServers, refuseOfOne } from './login/auth-of-servers.ts';
import { authOptions } from './login/sign-in-options.ts';
import { oneOption, parseOptions, revisionDates, wholeNumber, type ParsedOptions } from './options.ts';
import { createBridge } from '../../../parley/src/bridge.ts';
import { commandTarget, serverTarget, splitAtDashes, targetOptions, transportOf, type ServerTarget } from './target.ts';
import { ownCommand } from './own-command.ts';
import { sharedStoreOptions, withSharedStore, type SharedBehavior } from './shared-store.ts';
import { telemetryOf, telemetryOptions, type Telemetry } from './telemetry.ts';
import { version } from '../../../parley/src/transports/node/version.ts';
import { reasonOf, printed, shownJson } from './shown.ts';

/** The options of `parley start`. */
export const servingOptions: ParseArgsOptionsConfig = {
  port: { type: 'string' },
  host: { type: 'string' },
  path: { type: 'string' },
  stdio: { type: 'boolean' },
  health: { type: 'boolean' },
  'ready-ms': { type: 'string' },
  'drain-ms': { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  'allow-origin': { type: 'string', multiple: true },
  'trusted-proxy': { type: 'string', multiple: true },
  'proxy-header': { type: 'string' },
  revision: { type: 'string', multiple: true },
  'upstream-revision': { type: 'string', multiple: true },
  'max-upstreams': { type: 'string' },
  'max-upstreams-per-client': { type: 'string' },
  ...limitOptions,
  ...sharedStoreOptions,
  ...telemetryOptions,
};

/** The options of the command. */
export const bridgeOptions: ParseArgsOptionsConfig = {
  ...servingOptions,
  ...targetOptions,
  ...authOptions,
  config: { type: 'string' },
  server: { type: 'string' },
  'config-errors': { type: 'string' },
  prefix: { type: 'string' },
};

/** Puts one endpoint in front of a server, or of the servers that a file names. */
export async function bridge(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const parsed = parseOptions(before, bridgeOptions);
  const file = parsed.text('config');
  if (file !== undefined) return await frontSeveral(file, { parsed, isAlone: after === undefined }, io);
  for (const name of ['server', 'prefix', 'config-errors'])
    if (parsed.text(name) !== undefined) throw new UsageError(`--${name} is for servers of a --config file`);
  return await frontOne(serverTarget(parsed.words, after), parsed, io);
}

/** The bridge in front of the example server. */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseOptions(argv, servingOptions);
  const [word] = parsed.words;
  if (word !== undefined)
    throw new UsageError(`parley start takes no arguments, such as ${JSON.stringify(word)}; parley bridge does`);
  return await frontOne(commandTarget(ownCommand('example')), parsed, io);
}

async function frontOne(target: ServerTarget, parsed: ParsedOptions, io: Io): Promise<number> {
  // Invalid options are reported before anything starts.
  const address = addressOf(parsed, io);
  const behaviour = behaviourOf(parsed, io);
  const telemetry = await telemetryOf(parsed);
  const found = await authOf(target, parsed, circumstancesOf(address, io));
  const { auth, login } = await behindBridge(found, io);
  const transport = transportOf(target, parsed, io, { killTimeoutMs, ...(auth && { auth }) });
  const run = async (shared: SharedBehavior): Promise<number> => {
    const opening = createBridge({ ...behaviour, ...shared, upstream: transport, ...(login && { login }) });
    return await serve(opening, { address, io, telemetry }, (bridge) => aboutOne(bridge, target));
  };
  return await withSharedStore(parsed, io, { complain: behaviour.onWarning, run });
}

/**
 * Time that a server has for each step of its end, in milliseconds. A host sends SIGTERM to the bridge 2 s after the end of its
 * input, and SIGKILL 2 s later. A server that has not ended by then lives on, so its end takes less than 2 s.
 */
const killTimeoutMs = 750;

/** Time that running calls have after the end of input, in milliseconds. With the end of the servers it is less than 4 s. */
const drainTimeoutMs = 1_500;

/** Time that a person may take where a request waits, in milliseconds. */
const loginMs = 300_000;

/** A person is asked by the bridge, for the sake of what its clients want, and by nothing beneath it. */
async function behindBridge(
  { auth, signIn }: FoundAuth,
  io: Io,
): Promise<FoundAuth & { readonly login?: UpstreamLogin }> {
  if (signIn === undefined) return auth === undefined ? {} : { auth };
  const [{ personAt }, { upstreamLogin }] = await Promise.all([
    import('./login/sign-in.ts'),
    import('./login/upstream-login.ts'),
  ]);
  const wanted = { ...signIn, timeoutMs: signIn.timeoutMs ?? loginMs };
  return { auth: personAt({ ...wanted, asking: 'never' }, io), login: upstreamLogin(wanted, io) };
}

/** A host that starts the bridge has no terminal, and a person all the same. */
function circumstancesOf(address: Address | undefined, io: Io): LoginContext {
  return {
    io,
    asks: address === undefined || isTerminal(io),
    inputTaken: address === undefined,
    reachedAt: address === undefined ? undefined : reachedByOthers(address),
  };
}

async function frontSeveral(
  file: string,
  { parsed, isAlone }: { readonly parsed: ParsedOptions; readonly isAlone: boolean },
  io: Io,
): Promise<number> {
  const [word] = parsed.words;
  if (word !== undefined || !isAlone)
    throw new UsageError('--config names the servers; give no URL and no command beside it');
  for (const name of ['header', 'env'])
    if (parsed.texts(name).length > 0)
      throw new UsageError(`--${name} is for one server; in the file each has its own`);
  refuseOfOne(parsed);
  const address = addressOf(parsed, io);
  const behaviour = behaviourOf(parsed, io);
  const telemetry = await telemetryOf(parsed);
  const prefix = oneOption(parsed, 'prefix', ['collisions', 'always']) ?? 'collisions';
  const name = parsed.text('server');
  const servers =
    name === undefined
      ? serversOf(await readConfig(file, io), parsed, behaviour.onWarning)
      : { [name]: await configuredServer(file, name, parsed, io) };
  const authorized = await authOfServers(servers, parsed, circumstancesOf(address, io));
  const upstreams: [string, UpstreamOptions][] = [];
  for (const [name, { reach, sharing, revisions }] of Object.entries(servers)) {
    const found = authorized.get(name);
    const { auth, login } = await behindBridge(found ?? {}, io);
    const upstream = reach({ killTimeoutMs, ...(auth && { auth }) });
    const more = { ...(sharing && { sharing }), ...(revisions && { revisions }), ...(login && { login }) };
    upstreams.push([name, { upstream, ...more }]);
  }
  const machines = [...authorized].flatMap(([name, { signIn }]) => (signIn === undefined ? [name] : []));
  const run = async (shared: SharedBehavior): Promise<number> => {
    const opening = createBridge({ ...behaviour, ...shared, upstreams: Object.fromEntries(upstreams), prefix });
    return await serve(opening, { address, io, telemetry }, (made) => aboutSeveral(made, machines));
  };
  return await withSharedStore(parsed, io, { complain: behaviour.onWarning, run });
}

/** The servers to run: those whose entries are right. With `--config-errors fail`, one wrong entry stops all. */
function serversOf(
  { upstreams, problems, warnings }: Config,
  parsed: ParsedOptions,
  complain: Complain,
): Config['upstreams'] {
  const errors = oneOption(parsed, 'config-errors', ['fail', 'skip']) ?? 'skip';
  for (const line of [...warnings, ...problems]) complain(line);
  const count = `${problems.length} of the servers ${problems.length === 1 ? 'is' : 'are'} wrong`;
  if (Object.keys(upstreams).length === 0) throw new UsageError(`${count}, and there is no other`);
  if (problems.length > 0 && errors === 'fail') throw new UsageError(`${count}; --config-errors skip runs the others`);
  return upstreams;
}

type Complain = (message: string) => void;

interface Behaviour extends BridgeBehavior {
  readonly onWarning: Complain;
}

function behaviourOf(parsed: ParsedOptions, io: Io): Behaviour {
  const revisions = revisionDates(parsed.texts('revision'));
  const upstreamRevisions = revisionDates(parsed.texts('upstream-revision'));
  const complain = (message: string): void => void io.stderr.write(`parley: ${reasonOf(message)}\n`);
  return {
    signal: io.signal,
    ...(revisions === undefined ? {} : { revisions }),
    ...(upstreamRevisions === undefined ? {} : { upstreamRevisions }),
    ...countOf(parsed, 'max-upstreams', 'maxUpstreams'),
    ...countOf(parsed, 'max-upstreams-per-client', 'maxUpstreamsPerClient'),
    ...limitsOf(parsed),
    onError: (error, place) => complain(`${place}: ${reasonOf(error)}`),
    onWarning: complain,
  };
}

/** A number of the command line as the option that it is. */
function countOf(parsed: ParsedOptions, flag: string, option: keyof BridgeBehavior): BridgeBehavior {
  const text = parsed.text(flag);
  return text === undefined ? {} : { [option]: wholeNumber(`--${flag}`, text, [1, 1_000_000]) };
}

/** Place at which a bridge is served, and its way. */
interface Place {
  /** Address to listen at; `undefined` on standard input and output. */
  readonly address: Address | undefined;
  readonly io: Io;
  readonly telemetry: Telemetry | undefined;
}

/** Name of a bridge, and the lines that introduce it. */
interface About {
  readonly name: string;
  readonly lines: string;
  /** False if no server keeps anything for the clients that the command line cannot tell apart. */
  readonly hasSessions: boolean;
}

async function serve<B extends Bridge | MergedBridge>(
  opening: Promise<B>,
  { address, io, telemetry }: Place,
  about: (bridge: B) => About,
): Promise<number> {
  const early = address === undefined ? new EarlyInput(io.stdin) : undefined;
  const served = await Promise.race([opening, whenAborted(io.signal), ...(early ? [lateAfter(early, opening)] : [])]);
  // The process ends, and the children with it.
  if (served === undefined) throw new Error('ended before the server had answered');
  telemetry?.follow(served);
  try {
    const introduction = introduce(served, about(served));
    await (address === undefined
      ? overStdio(served, introduction, { ...io, stdin: early?.handOver() ?? io.stdin })
      : overHttp(served, introduction, { address, io }));
    return 0;
  } finally {
    await served.close();
    await telemetry?.flush();
  }
}

/** Time for a server's first answer after the last client has left, in milliseconds. */
const lastWordMs = 5_000;

/** The server that answered after the end of the input, to which what came before may still be put. */
async function lateAfter<B>(early: EarlyInput, opening: Promise<B>): Promise<B> {
  await early.ended;
  if (await settledWithin(lastWordMs, opening)) return await opening;
  throw new Error('standard input ended before the server had answered');
}

interface Introduction extends Pick<About, 'name' | 'hasSessions'> {
  readonly text: string;
}

function introduce({ endpoint }: Servable, { lines, ...about }: About): Introduction {
  const dates = endpoint.revisions.map(({ date }) => date).join(', ');
  return { ...about, text: printed(`parley ${version} in front of ${lines}  serves   ${dates}\n`, 'lines') };
}

/** True of a server that was not reached yet, too. */
function hasSessions(revision: string | undefined): boolean {
  return revisionOf(revision ?? '')?.sessions !== false;
}

/** Length up to which a name is shown whole, in characters. */
const maxNameLength = 100;

function aboutOne({ upstream }: Bridge, { kind }: ServerTarget): About {
  const { server, revision, description } = upstream;
  return {
    name: clipped(server?.name ?? 'server', maxNameLength),
    lines: `${named(upstream)}, which speaks ${revision} over ${kind === 'url' ? 'http' : 'stdio'}\n  server   ${printed(description, 'line')}\n`,
    hasSessions: hasSessions(revision),
  };
}

/** @param machines The servers at which the bridge has one identity for all clients. */
function aboutSeveral({ upstreams }: MergedBridge, machines: readonly string[]): About {
  const lines = upstreams.map(({ name, facts, failure }) => {
    const missing = failure === undefined ? 'not reached yet' : `not reached: ${clipped(failure, 500)}`;
    const what = facts === undefined ? missing : `${named(facts)}, which speaks ${facts.revision}`;
    return `  server   ${printed(`${clipped(name, maxNameLength)}: ${what}`, 'line')}\n`;
  });
  const all = clipped(machines.join(', '), 500);
  const note =
    machines.length === 0
      ? ''
      : `  note     ${printed(`every client has the client credentials of the file at ${all}`, 'line')}\n`;
  return {
    name: 'parley-bridge',
    lines: `${upstreams.length} ${upstreams.length === 1 ? 'server' : 'servers'}\n${lines.join('')}${note}`,
    hasSessions: upstreams.some(({ facts }) => hasSessions(facts?.revision)),
  };
}

function named({ server }: UpstreamFacts): string {
  return server === undefined
    ? 'a server without a name'
    : printed(clipped(`${server.name} ${server.version}`, maxNameLength), 'line');
}

/** Every word goes to stderr: stdout belongs to the protocol. */
async function overStdio(served: Servable, introduction: Introduction, io: Io): Promise<void> {
  io.stderr.write(`${introduction.text}  client   standard input and output\n`);
  const stdio = serveStdio(served, { input: io.stdin, output: io.stdout, drainTimeoutMs });
  // It is paused, since other code read its beginning.
  io.stdin.resume();
  await Promise.race([stdio.closed, whenAborted(io.signal)]);
  await stdio.close();
}

/** Hosts that the line before is for. */
const hosts = '           for Claude Code and Cursor; VS Code has servers in place of mcpServers\n';

/** Line about the pair of endpoints, for the revisions whose HTTP it is; none where none of them is served. */
function pairLine(url: string, { endpoint }: Servable): string {
  const dates = endpoint.revisions.filter(({ http }) => http === 'sse-pair').map(({ date }) => date);
  if (dates.length === 0) return '';
  return `  also     ${new URL('/sse', url).href} (HTTP+SSE, for clients of ${dates.join(', ')})\n`;
}

async function overHttp(
  served: Servable,
  introduction: Introduction,
  { address, io }: { readonly address: Address; readonly io: Io },
): Promise<void> {
  const { closing, ...listening } = address;
  const http = await listen(served, {
    ...listening,
    // Clients of 2024-11-05 support nothing else. (Spec 2024-11-05, Transports: HTTP with SSE.)
    ssePair: { sse: '/sse', messages: '/messages' },
    // The store's own message is safe to show. Other causes may quote sent data.
    onError: ({ message, cause }) =>
      void io.stderr.write(
        `parley: ${reasonOf(cause instanceof StoreError ? `${message}: ${cause.message}` : message)}\n`,
      ),
    onWarning: (message) => void io.stderr.write(`parley: ${reasonOf(message)}\n`),
  });
  const { url } = http;
  const entry = { mcpServers: { [introduction.name]: { type: 'http', url } } };
  io.stdout.write(
    printed(
      `${introduction.text}  url      ${url}\n${pairLine(url, served)}  connect  ${shownJson(entry)}\n${hosts}  try      npx parley-cli call ${url}\n${introduction.hasSessions ? warningOfAnonymous(served) : ''}${warningOn(address)}`,
      'lines',
    ),
  );
  await whenAborted(io.signal);
  await http.close(closing);
}
