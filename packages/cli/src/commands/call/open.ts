import type { ParseArgsOptionsConfig } from 'node:util';
import { AuthorizationError } from '../../../../parley/src/auth/common/errors.ts';
import { connect } from '../../../../parley/src/client.ts';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { InputHandlers } from '../../../../parley/src/client/api/input-handlers.ts';
import { jsonText } from '../../../../parley/src/json/exact-number.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { Extensions } from '../../../../parley/src/protocol/extension.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { LoggingMessageNotificationParams } from '../../../../parley/src/protocol/features/logging.ts';
import type { RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import { UsageError, isTerminal, type Io } from '../io.ts';
import { authOf } from '../login/auth-of.ts';
import { authOptions } from '../login/sign-in-options.ts';
import { revisionDates, milliseconds, type ParsedOptions } from '../options.ts';
import { printed, reasonOf } from '../shown.ts';
import { targetOptions, transportOf, type ServerTarget } from '../target.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';

/** The options of a command that uses one server as a client. */
export const clientOptions: ParseArgsOptionsConfig = {
  ...targetOptions,
  ...authOptions,
  config: { type: 'string' },
  server: { type: 'string' },
  revision: { type: 'string', multiple: true },
  extension: { type: 'string', multiple: true },
  timeout: { type: 'string' },
};

/** Choices of a command that opens a server. */
export interface ClientOpening {
  /** The revisions for the server, if the user gave none. */
  readonly known?: readonly RevisionDate[] | undefined;
  /** The longest wait for an answer, despite progress, in milliseconds, if the user gave none. */
  readonly timeoutMs?: number | undefined;
  /** Answers to what the server asks; it can ask nothing by default. */
  readonly handlers?: Pick<InputHandlers, 'onElicit' | 'onElicitUrl' | 'onSample'>;
  /** Writes lines for the person; to standard error by default. */
  readonly tell?: (lines: string) => void;
}

/** Opens a server that was typed, authorized as the options say. */
export async function openTarget(
  target: ServerTarget,
  parsed: ParsedOptions,
  io: Io,
  opening: ClientOpening = {},
): Promise<Client> {
  const { auth } = await authOf(target, parsed, { io, asks: isTerminal(io) });
  try {
    return await openWay(transportOf(target, parsed, io, auth === undefined ? {} : { auth }), parsed, io, opening);
  } catch (error) {
    if (target.kind !== 'url' || !(error instanceof AuthorizationError)) throw error;
    // This code is only needed after a failure.
    const { soughtInVain } = await import('../login/sought.ts');
    throw await soughtInVain(
      error,
      { url: target.url, way: transportOf(target, parsed, io), hasClient: parsed.text('client-id') !== undefined },
      io,
    );
  }
}

/** Opens a server by a way to it. */
export function openWay(way: Transport, parsed: ParsedOptions, io: Io, opening: ClientOpening = {}): Promise<Client> {
  const { known, handlers, tell = (lines) => void io.stderr.write(lines) } = opening;
  const revisions = revisionDates(parsed.texts('revision')) ?? known;
  const timeout = parsed.text('timeout');
  const timeoutMs = timeout === undefined ? opening.timeoutMs : milliseconds('--timeout', timeout);
  return connect(way, {
    info: { name: 'parley-call', version },
    // A person who asks for a number is to see its digits.
    exactNumbers: true,
    signal: io.signal,
    ...handlers,
    extensions: extensionsOf(parsed.texts('extension')),
    ...(revisions === undefined ? {} : { revisions }),
    // A user's time limit is a total, however much progress a server reports.
    ...(timeoutMs === undefined ? {} : { timeoutMs, maxTotalTimeoutMs: timeoutMs }),
    onLog: (message) => tell(logLine(message)),
    onWarning: warnings(tell),
  });
}

/** Extensions that were typed as `id` or `id={…}`. @throws UsageError for others. */
function extensionsOf(words: readonly string[]): Extensions {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      const id = at < 0 ? word : word.slice(0, at);
      const settings = at < 0 ? {} : jsonObjectOf(word.slice(at + 1));
      if (!/^[\w.-]+\/[\w.-]+$/.test(id) || settings === undefined)
        throw new UsageError(
          `--extension takes an id with a prefix, and its settings as JSON: com.example/maps or com.example/maps={"zoom":3}, not ${JSON.stringify(word)}`,
        );
      return [id, settings] as const;
    }),
  );
}

function jsonObjectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const maxWarnings = 3;

/** A server that prints what is no message may print a lot of it. */
function warnings(tell: (lines: string) => void): (message: string) => void {
  let count = 0;
  return (message) => {
    count++;
    if (count <= maxWarnings) tell(`parley: ${reasonOf(message)}\n`);
    if (count === maxWarnings) tell('parley: further warnings are left out\n');
  };
}

function logLine({ level, logger, data }: LoggingMessageNotificationParams): string {
  const words = typeof data === 'string' ? data : jsonText(data);
  const head = printed(`[${level}]${logger === undefined ? '' : ` ${logger}:`}`, 'line');
  // Continuation lines are indented.
  return `${head} ${printed(words, 'lines').replaceAll('\n', '\n  ')}\n`;
}
