import { settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { ConnectionError, type Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { OpenChannel, type Inbound } from '../../../../parley/src/client/connection/open-channel.ts';
import type { Self } from '../../../../parley/src/client/connection/request-meta.ts';
import { ServerConnection } from '../../../../parley/src/client/connection/server-connection.ts';
import { discover, serverInfoOf } from '../../../../parley/src/client/connection/discover.ts';
import { initialize } from '../../../../parley/src/client/connection/initialize.ts';
import { ownMethodsOf } from '../../../../parley/src/protocol/extension.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { mayAsk } from '../../../../parley/src/protocol/catalogue.ts';
import { revisions, type Revision } from '../../../../parley/src/protocol/revision.ts';
import { listEverything, listUndeclared, type ListLimits } from './lists.ts';
import type { Offer } from '../../compatibility/offer.ts';
import type { TasksExplained, Try } from './report.ts';
import { listsTasks, tasksOf } from './tasks.ts';
import { atMost, type TimeLeft } from './time-left.ts';
import { createTap, type Tap } from './wire.ts';
import { beforeAsked, evidenceOf, named, type Evidence } from './explain-texts.ts';
import { whenAborted } from '../io.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';

/** Options of trying a server. */
export interface TryOptions {
  /** A new way to the server. */
  reach(settings: Tap['settings']): Transport;
  readonly timeoutMs: number;
  /** Time for all of it. */
  readonly left: TimeLeft;
  /** True for the first try: a command has a moment then to end by itself. */
  readonly isFirst?: boolean;
  /** True when the lists are wanted too. */
  readonly list: boolean;
  readonly wire: boolean;
  readonly signal: AbortSignal;
}

/** Outcome of a try. */
export interface Tried {
  readonly attempt: Try;
  /** Offer of the server, where the revision works and the lists were wanted. */
  readonly offer?: Offer;
  /** Tasks of the server in this revision, where it does anything with them. */
  readonly tasks?: TasksExplained;
  /** Messages that travelled, and the refusals among them. */
  readonly tap: Tap;
}

/** Description that a server gives of itself in a revision that works. */
type Introduction = Pick<Offer, 'server' | 'instructions' | 'capabilities'>;

const self: Self = { info: { name: 'parley-explain', version }, capabilities: {} };

/** Time in which a command that cannot run ends by itself as a rule, in milliseconds. */
const ownEndMs = 500;

/** Limit of notes of one try. */
const maxNotes = 3;

/** Tries one revision, in a connection of its own that is closed when it returns. It does not throw, unless aborted. */
export async function tryRevision(revision: Revision, options: TryOptions): Promise<Tried> {
  const question = revision.era === 'stateless' ? 'server/discover' : 'initialize';
  const tap = createTap();
  const transport = tap.listen(options.reach(tap.settings));
  const notes: string[] = [];
  const began = performance.now();
  let channel: OpenChannel | undefined;
  let ms: number | undefined;
  let isOwnEnd = false;
  let evidence: Evidence;
  let offer: Offer | undefined;
  let tasks: TasksExplained | undefined;
  try {
    const own = ownEnd();
    channel = await OpenChannel.open(transport, { ...hearing(notes), closed: own.closed });
    isOwnEnd = options.isFirst === true && transport.ownsProcess === true && (await settledWithin(ownEndMs, own.end));
    const answer = await inTime(ask(channel, revision, options), question, options);
    evidence = answer.evidence;
    ms = performance.now() - began;
    const { introduction } = answer;
    if (introduction !== undefined) {
      if (options.list) offer = await offered(channel, revision, { ...options, introduction, notes });
      const { capabilities } = introduction;
      const isAsked = offer === undefined && listsTasks(revision, capabilities);
      const tools = isAsked ? await listed(channel, revision, { ...options, introduction }) : offer?.tools;
      tasks = tasksOf(revision, capabilities, tools);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    evidence = evidenceOf(question, error, channel?.statusOf(error));
  } finally {
    await channel?.close();
  }
  ms ??= performance.now() - began;
  if (isOwnEnd) evidence = { ...evidence, why: evidence.why.replace(/ when asked [^ ]+$/, ` ${beforeAsked}`) };
  if (evidence.reason === 'timeout' && tap.stderr.trim() !== '')
    notes.push(`it wrote to standard error: ${lastLine(tap.stderr)}`);
  if (options.wire && tap.unkept > 0) notes.push(`${tap.unkept} further messages travelled and are not shown`);
  const over = tap.elsewhere ? 'http+sse' : transport.ownsProcess === true ? 'stdio' : 'http';
  const wire = options.wire ? { wire: tap.entries } : {};
  return {
    attempt: { revision: revision.date, question, ...evidence, over, ms, notes, ...wire },
    tap,
    ...(offer && { offer }),
    ...(tasks && { tasks }),
  };
}

/** A promise of the end of a connection, and what tells it. */
function ownEnd(): { readonly end: Promise<void>; closed(this: void): void } {
  let closed: () => void = () => undefined;
  const end = new Promise<void>((resolve) => (closed = resolve));
  return { end, closed: () => closed() };
}

/**
 * Notes messages that are no answer: asked for something, we can do nothing; told something that is no message, we tell
 * the person.
 */
function hearing(notes: string[]): Inbound {
  return {
    request({ id, method }, { respond }) {
      const message =
        method === 'ping'
          ? { jsonrpc: '2.0' as const, id, result: {} }
          : {
              jsonrpc: '2.0' as const,
              id,
              error: { code: -32601, message: 'parley explain answers nothing but ping' },
            };
      void respond(message, undefined); // It never rejects, and nobody waits for it.
    },
    notification: () => {},
    warning(message, cause) {
      // An unreadable message has its own explanation.
      const why = cause instanceof Error ? cause.message : message;
      const said = why.slice(0, 200);
      if (notes.includes(said)) return;
      if (notes.length < maxNotes) notes.push(said);
      else if (notes.length === maxNotes) notes.push('there was more of this kind');
    },
    closed: () => {},
  };
}

interface Answer {
  readonly evidence: Evidence;
  readonly introduction?: Introduction;
}

function ask(channel: OpenChannel, revision: Revision, options: TryOptions): Promise<Answer> {
  return revision.era === 'stateless'
    ? askStateless(channel, revision, options)
    : askHandshake(channel, revision, options);
}

async function askStateless(
  channel: OpenChannel,
  revision: Revision,
  { timeoutMs, signal }: TryOptions,
): Promise<Answer> {
  const question = 'server/discover';
  const probe = await discover(channel, {
    revision,
    revisions,
    self: () => self,
    limits: () => ({ timeoutMs, signal }),
  });
  if (probe.kind === 'stateless') {
    const { supportedVersions, capabilities, instructions } = probe.result;
    const spoken = { ...named(question, supportedVersions), outcome: 'spoken' as const };
    const server = serverInfoOf(probe.result);
    return {
      evidence: spoken,
      introduction: { capabilities, ...(server && { server }), ...(instructions !== undefined && { instructions }) },
    };
  }
  const { cause, supported } = probe;
  const evidence = cause === undefined ? undefined : evidenceOf(question, cause, channel.statusOf(cause));
  if (supported === undefined) return { evidence: evidence ?? named(question, []) };
  const { outcome, named: dates, why } = named(question, supported);
  const shown = dates === undefined ? {} : { named: dates };
  return {
    evidence:
      evidence === undefined
        ? { outcome, why, ...shown }
        : { ...evidence, outcome, why: `${evidence.why}, and named ${supported.join(', ').slice(0, 300)}`, ...shown },
  };
}

async function askHandshake(channel: OpenChannel, offer: Revision, { timeoutMs, signal }: TryOptions): Promise<Answer> {
  const settled = await initialize(channel, offer, {
    revisions,
    self: () => self,
    limits: () => ({ timeoutMs, signal }),
  });
  const { revision, server, capabilities, instructions } = settled;
  if (revision !== offer) return { evidence: named('initialize', [revision.date]) };
  return {
    evidence: { outcome: 'spoken', why: `initialize was answered with ${revision.date}`, named: [revision.date] },
    introduction: { server, capabilities, ...(instructions !== undefined && { instructions }) },
  };
}

/** A server that accepts a message but never completes it delays nothing. */
async function inTime<T>(work: Promise<T>, question: string, { timeoutMs, signal }: TryOptions): Promise<T> {
  work.catch(() => {});
  // The question has a limit of its own; this one is for what follows it.
  const isSettled = await settledWithin(timeoutMs + 1_000, Promise.race([work, whenAborted(signal)]));
  signal.throwIfAborted();
  if (isSettled) return await work;
  throw new ConnectionError('timeout', `what follows ${question} was not taken within ${timeoutMs} ms`);
}

/** The tools alone. */
async function listed(
  channel: OpenChannel,
  revision: Revision,
  options: TryOptions & { readonly introduction: Introduction },
): Promise<Offer['tools']> {
  const { tools = {} } = options.introduction.capabilities;
  const connection = connectionTo(channel, revision, { ...options, introduction: { capabilities: { tools } } });
  const { left, timeoutMs, signal } = options;
  return (await listEverything(connection, { timeoutMs: atMost(left, timeoutMs), signal })).tools;
}

function connectionTo(
  channel: OpenChannel,
  revision: Revision,
  { timeoutMs, introduction }: Pick<TryOptions, 'timeoutMs'> & { readonly introduction: Introduction },
): ServerConnection {
  const { capabilities, server, instructions } = introduction;
  const negotiated = { revision: revision.date };
  return new ServerConnection(
    { channel, revision, capabilities, server, instructions, negotiated, confirmed: true, asked: false },
    { self: () => self, timeoutMs, maxTotalTimeoutMs: timeoutMs, failed: () => {} },
  );
}

async function offered(
  channel: OpenChannel,
  revision: Revision,
  options: TryOptions & { readonly introduction: Introduction; readonly notes: string[] },
): Promise<Offer> {
  const { introduction, notes, signal } = options;
  const limits = (): ListLimits => ({ timeoutMs: atMost(options.left, options.timeoutMs), signal });
  const connection = connectionTo(channel, revision, options);
  const lists = await listEverything(connection, limits());
  if (mayAsk(revision, 'ping')) {
    const silence = await pinged(connection, limits());
    if (silence !== undefined) notes.push(silence);
  }
  const methods = ownMethodsOf(introduction.capabilities);
  // What a server did not declare may end it, so that it is asked last.
  const undeclared = await listUndeclared(connection, limits());
  return { revision: revision.date, ...introduction, ...lists, ...undeclared, ...(methods.length > 0 && { methods }) };
}

async function pinged(connection: ServerConnection, limits: ListLimits): Promise<string | undefined> {
  const { signal } = limits;
  try {
    await connection.request('ping', undefined, limits);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof McpError ? `${error.code} ${error.message}` : reason(error);
    return `ping failed: ${why.slice(0, 200)}`;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
}
