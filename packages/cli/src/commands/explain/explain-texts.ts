import { summary } from '../../../../parley/src/transports/http/client/refusal.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import { IncompatibleError } from '../../../../parley/src/client/connection/incompatible.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { WayOutcome, Try } from './report.ts';

/** Parts of a try that say something of a revision: an answer, or the lack of one. */
export type Evidence = Pick<Try, 'outcome' | 'why' | 'named' | 'code' | 'reason' | 'status'>;

/** End of the reason of a command that ended by itself. */
export const beforeAsked = 'before it was asked anything';

/** Reason of a revision that was not tried, since the command ends whatever it is asked. */
export const notStartedAgain = 'not asked: the command was not started again';

/** Reason of a revision for which no time was left. */
export const timeOver = 'not asked: the time of --timeout was over';

type Question = Try['question'];

/** Meaning of a failed question. */
export function evidenceOf(question: Question, error: unknown, status: number | undefined): Evidence {
  if (error instanceof IncompatibleError) return named(question, error.theirs ?? []);
  if (error instanceof McpError) return refusal(question, error, status);
  if (error instanceof ConnectionError) return failure(question, error);
  return { outcome: 'unknown', why: error instanceof Error ? error.message : String(error) };
}

/** Meaning of an answer that names other revisions than the one in question. */
export function named(question: Question, dates: readonly string[]): Evidence {
  const shown = dates.slice(0, 10).map((date) => date.slice(0, 32));
  const why =
    question === 'initialize'
      ? `initialize was answered with ${shown.join(', ')} instead`
      : `${question} was answered: supported are ${shown.join(', ') || 'none'}`;
  return { outcome: 'other', why, named: shown };
}

function refusal(question: Question, { code, message }: McpError, status: number | undefined): Evidence {
  const beside = status === undefined || isOk(status) ? '' : `, HTTP ${status}`;
  const isEvidence = status === undefined || !saysNothing(status);
  const why = `${question} was refused with ${code} ${JSON.stringify(message.slice(0, 200))}${beside}`;
  return {
    outcome: isEvidence ? 'refused' : 'unknown',
    why: isEvidence ? why : `${why}, which is no evidence`,
    code,
    ...(status === undefined ? {} : { status }),
  };
}

function failure(question: Question, error: ConnectionError): Evidence {
  const { reason, status, message } = error;
  const facts = { reason, ...(status === undefined ? {} : { status }) };
  const outcome = outcomeOf(error);
  return { outcome, why: words(question, error) ?? message, ...facts };
}

/** Only what a server answered says something; that nothing came, or that it wants to know who asks, does not. */
function outcomeOf({ reason, status, body }: ConnectionError): WayOutcome {
  // A response with nothing in it is an answer too.
  if (reason === 'invalid-message' || reason === 'too-large' || (reason === 'closed' && body === '')) return 'refused';
  return reason === 'http' && status !== undefined && !saysNothing(status) ? 'refused' : 'unknown';
}

function words(
  question: Question,
  { reason, status, challenge, message, body = '' }: ConnectionError,
): string | undefined {
  switch (reason) {
    case 'unauthorized': {
      const wall = status === 401 ? 'authorization is wanted' : 'access is forbidden';
      const said = summary(body);
      const inBody = said === '' ? '' : `; it says: ${said}`;
      const how = challenge === undefined ? inBody : `; WWW-Authenticate: ${challenge.slice(0, 300)}`;
      return `HTTP ${status ?? 401}: ${wall}, which is no evidence${how}`;
    }
    case 'http':
      return status !== undefined && saysNothing(status)
        ? `${message.slice(0, 200)}, which is no evidence`
        : `${question} was refused with ${message.slice(0, 200)}`;
    case 'timeout':
      return `${message}, which is no evidence`;
    case 'exited':
      return `${message.slice(0, 400)} when asked ${question}`;
    default:
      return undefined;
  }
}

/** Tells whether a status is independent of revisions: it concerns the caller, the rate, or a failing server. */
function saysNothing(status: number): boolean {
  return status >= 500 || (status >= 300 && status < 400) || [401, 403, 407, 408, 425, 429].includes(status);
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}
