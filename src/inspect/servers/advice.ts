import { AuthorizationError } from '../../auth/errors.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { RecordingEntry } from '../../wire/entry.ts';
import type { StepView } from '../view.ts';

/** Most steps that are told of. */
const mostSteps = 12;

/** Tells what was tried, as far as it crossed, and what a person may do now. */
export function adviceOn(
  error: unknown,
  entries: readonly RecordingEntry[],
  words: (error: unknown) => string,
): { readonly steps: readonly StepView[]; readonly advice?: string } {
  const tried = entries.flatMap((entry): StepView[] => {
    const { from, http, method, problem, exit } = entry;
    if (exit !== undefined)
      return [{ words: `the process ended with ${exit.signal ?? `code ${String(exit.code)}`}`, ok: false }];
    if (problem !== undefined && from === 'server') return [{ words: words(problem), ok: false }];
    if (from === 'client' && method !== undefined) return [{ words: `asked ${method}`, ok: true }];
    if (http?.status !== undefined) return [{ words: `answered with status ${http.status}`, ok: http.status < 400 }];
    return [];
  });
  const advice = wantsPerson(error) ? signIn : error instanceof ConnectionError ? advised(error) : undefined;
  return { steps: tried.slice(-mostSteps), ...(advice === undefined ? {} : { advice }) };
}

const signIn = 'It wants somebody to be signed in: press Sign in, or give --header or --token-env.';

/** Tells whether a connection failed since nobody is signed in. */
export function wantsPerson(error: unknown): boolean {
  if (error instanceof AuthorizationError) return error.reason === 'login-required' || error.reason === 'grant-lost';
  return error instanceof ConnectionError && error.reason === 'unauthorized';
}

function advised({ reason, status }: ConnectionError): string | undefined {
  switch (reason) {
    case 'refused':
      return 'Nothing answers there: see that the server runs, and that the address or the command is right.';
    case 'exited':
    case 'closed':
      return 'It ended: what it wrote to its standard error stands in the wire below. Restart it once it is mended.';
    case 'timeout':
      return 'It was silent. A server on standard input and output must print nothing but messages, and answer the first.';
    case 'http':
      if (status === 403) return 'It refuses this address or this caller: its answer stands in the wire below.';
      return status === 404 || status === 405
        ? 'There is a web server, but no MCP at this path: most serve it at /mcp.'
        : 'Something answered that is no MCP server, or one that failed: its answer stands in the wire below.';
    case 'incompatible':
      return 'It speaks no revision that was asked for: choose another, or auto.';
    case 'invalid-message':
      return 'What it said is no message of the protocol: the line stands in the wire below.';
    default:
      return undefined;
  }
}
