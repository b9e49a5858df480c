import { AuthorizationError } from '../../../../parley/src/auth/common/errors.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { StepView } from '../view.ts';
import { subjectOf } from '../wire/subject.ts';
import type { Shared } from './shared.ts';

/** Limits: shown steps, lines of standard error, and characters of quotations. */
const most = { steps: 12, lines: 20, text: 2_000 };

/** Tells what was tried, as far as it crossed, and what a person may do now. */
export function adviceOn(
  error: unknown,
  entries: readonly RecordingEntry[],
  {
    words,
    causeOf,
    canSignIn,
  }: { words(error: unknown): string; causeOf?: Shared['causeOf']; readonly canSignIn: boolean },
): { readonly steps: readonly StepView[]; readonly cause?: string; readonly advice?: string } {
  const lastWords = entries.findLast(({ lane }) => lane === 'stderr');
  const hasEnded = entries.some(({ exit }) => exit !== undefined);
  // Once it was in use, what it answered tells nothing of its end; what it left unanswered may.
  const wasUsed = entries.some(
    ({ from, lane, method }) =>
      from === 'client' && lane === 'message' && method !== undefined && !openings.has(method),
  );
  const tried = entries.flatMap((entry): StepView[] => {
    const { from, lane, http, method, problem, exit } = entry;
    if (exit !== undefined)
      return [{ words: `the process ended with ${exit.signal ?? `code ${String(exit.code)}`}`, ok: false }];
    // The end of a process has its own text, with its last output.
    if (lane === 'process' && hasEnded) return [];
    if (problem !== undefined && from === 'server') return [{ words: words(problem), ok: false }];
    if (from === 'client' && method !== undefined)
      return wasUsed ? leftOpen(entry) : [{ words: `asked ${method}`, ok: true }];
    if (http?.status !== undefined) return [answered(http.status, entry)];
    // The last output explains an end; the wire has all of it.
    if (entry === lastWords) return [{ words: 'it wrote to its standard error', text: lastLines(entries), ok: true }];
    return [];
  });
  const advice = wantsPerson(error)
    ? canSignIn
      ? signIn
      : otherCredentials
    : error instanceof ConnectionError
      ? advised(error, hasEnded || lastWords !== undefined)
      : undefined;
  const cause = hasEnded ? causeOf?.(lastLines(entries)) : undefined;
  return {
    steps: tried.slice(-most.steps),
    ...(cause === undefined ? {} : { cause }),
    ...(advice === undefined ? {} : { advice }),
  };
}

/** Methods that begin a conversation. */
const openings: ReadonlySet<string> = new Set(['server/discover', 'initialize', 'notifications/initialized']);

/** A request that has no answer, with what it is about. */
function leftOpen(entry: RecordingEntry): StepView[] {
  const { id, pair, method = '' } = entry;
  if (id === undefined || id === null || pair !== undefined) return [];
  return [{ words: `asked ${[method, subjectOf(entry) ?? ''].join(' ').trim()}, and got no answer`, ok: false }];
}

/** Answer over HTTP; of one that is no message, the beginning. */
function answered(status: number, { lane, text = '' }: RecordingEntry): StepView {
  const step = { words: `answered with status ${status}`, ok: status < 400 };
  return lane === 'http' && text.trim() !== '' ? { ...step, text: text.slice(0, most.text) } : step;
}

/** Last lines that a process wrote to its standard error. */
function lastLines(entries: readonly RecordingEntry[]): string {
  const texts = entries.filter(({ lane }) => lane === 'stderr').slice(-most.lines);
  const lines = texts.flatMap(({ text = '' }) => text.slice(-most.text).trimEnd().split('\n'));
  return lines.slice(-most.lines).join('\n').slice(-most.text);
}

const given = 'by --header or --token-env (in a file by "headers" or "oauth")';
const signIn = `It requires a sign-in: press Sign in, or start with credentials, ${given}.`;
const otherCredentials = `It refuses the credentials that it was given: start with others, ${given}.`;

/** Tells whether a connection failed since no user is signed in. */
export function wantsPerson(error: unknown): boolean {
  if (error instanceof AuthorizationError) return error.reason === 'login-required' || error.reason === 'grant-lost';
  return error instanceof ConnectionError && error.reason === 'unauthorized';
}

function advised({ reason, status }: ConnectionError, hasProcess: boolean): string | undefined {
  switch (reason) {
    case 'refused':
      return 'Nothing answers there: see that the server runs, and that the address or the command is right.';
    case 'exited':
    case 'closed':
      return hasProcess || reason === 'exited'
        ? 'Fix it, then restart it. The log has its standard error output.'
        : 'The connection ended before the answer: look in the log of the server whether it failed or was restarted.';
    case 'timeout':
      return 'It was silent. A server on standard input and output must print nothing but messages, and answer the first.';
    case 'http':
      if (status === 403) return 'It refuses this address or this caller: its answer stands in the wire.';
      return status === 404 || status === 405
        ? 'There is a web server, but no MCP at this path: most serve it at /mcp.'
        : 'Something answered that is no MCP server, or one that failed: its answer stands in the wire.';
    case 'incompatible':
      return 'It speaks no revision that was asked for: choose another, or auto.';
    case 'invalid-message':
      return 'What it said is no message of the protocol: the line stands in the wire.';
    default:
      return undefined;
  }
}
