/** Asking a person, in the middle of a tool, to connect an account: in each revision's own way. */

import { after } from '../../jsonrpc/timeout.ts';
import type { LateVisits } from './late-visits.ts';
import type { Consent } from '../consent/consent.ts';
import type { ConsentOutcome, ConsentSession } from '../consent/consent-sessions.ts';
import { McpError } from '../../protocol/error.ts';
import type { ToolContext, ElicitedUrl } from '../../server/definition/tool-context.ts';
import { ToolError } from '../../server/definition/tool-result.ts';
import { ProtocolFailure } from '../../server/definition/handler-errors.ts';
import { urlElicitationRequired } from '../../server/url-elicitation.ts';

/** The account that is asked for. */
export interface AskedAccount {
  readonly consent: Consent;
  readonly about: Pick<ConsentSession, 'principal' | 'party' | 'client' | 'scopes' | 'consentOnly'>;
  /** The third party's name, as people know it. */
  readonly name: string;
  readonly serverName: string;
  /** Names the question within the request. */
  readonly key: string;
  /** Time to wait for a person who agreed to go, in milliseconds. */
  readonly waitTimeoutMs: number;
  /** Tells whether the account is connected, by this visit or another. */
  isConnected(): Promise<boolean>;
  /** Visits that their requests wait for no longer. */
  readonly late: LateVisits;
  /** Ends pending waits when their result is no longer needed. */
  readonly closed: AbortSignal;
}

/**
 * Sends the user to the page, and waits until the account is connected. In 2026-07-28 the run ends with the question;
 * the retry comes here again, and finds the same link.
 *
 * @throws ToolError if it failed, or if the client cannot be asked: its text has the link, which the user can open. If
 * there is no tool, the client gets it as missingRequiredClientCapability.
 * @throws McpError urlElicitationRequired if the user takes longer than a request waits, in the revision that has it.
 */
export async function askForAccount(ctx: ToolContext, asked: AskedAccount): Promise<void> {
  const { consent, about, name, serverName, key } = asked;
  const { info } = ctx.client;
  const by = info?.title ?? info?.name;
  const not = (why: string): ToolError => new ToolError(`the account at ${name} was not connected${why}`);
  const url = await ctx.once(key, async () => (await consent.invite({ ...about, by })).url);
  const message = `Connect your account at ${name} to ${serverName}.`;
  const elicited = await elicitedUrl(ctx, { message, url }, key);
  if (elicited instanceof McpError) throw new ProtocolFailure(notYet(name, url), elicited);
  if (elicited.action !== 'accept') throw not(': the user did not agree to go there');
  const visit = await consent.visitOf(url);
  // If the link has expired, the user may have been in time all the same.
  const isThere = visit === undefined && (await asked.isConnected());
  const outcome = visit === undefined ? (isThere ? 'granted' : 'over') : await waited(ctx, visit, asked);
  if (outcome === 'granted') return elicited.completed();
  if (outcome === 'declined') throw not(': the user declined');
  if (outcome === 'failed') throw not(': that failed; try again');
  const { elicitationId } = elicited;
  if (outcome === 'over' || visit === undefined) throw not(' in time; try again');
  if (elicitationId === undefined) throw new ToolError(notYet(name, url));
  // The client is notified of the completion, and sends its request again then.
  asked.late.add(about.principal, async (signal) => {
    if ((await consent.outcome(visit, signal, asked.isConnected)) === 'granted') elicited.completed();
  });
  throw urlElicitationRequired([{ message, url, elicitationId }]);
}

function notYet(name: string, url: string): string {
  return `the account at ${name} is not connected yet: the user must open ${url} in a browser, and this must be called again afterwards`;
}

/** The client's answer; if the client cannot be asked, the error that says so. */
async function elicitedUrl(
  ctx: ToolContext,
  question: { readonly message: string; readonly url: string },
  key: string,
): Promise<ElicitedUrl | McpError> {
  try {
    return await ctx.elicitUrl(question, { key });
  } catch (error) {
    if (error instanceof McpError && error.kind === 'missingRequiredClientCapability') return error;
    throw error;
  }
}

/** The outcome of a visit, or that it is still open. */
async function waited(
  ctx: ToolContext,
  visit: ConsentSession,
  { consent, waitTimeoutMs, closed, isConnected }: AskedAccount,
): Promise<ConsentOutcome | 'waiting'> {
  const enough = new AbortController();
  const stop = after(waitTimeoutMs, () => enough.abort());
  try {
    return await consent.outcome(visit, AbortSignal.any([ctx.signal, closed, enough.signal]), isConnected);
  } catch (error) {
    if (enough.signal.aborted) return 'waiting';
    throw error;
  } finally {
    stop();
  }
}
