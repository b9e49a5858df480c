/** Asking a person, in the middle of a tool, to connect an account: in each revision's own way. */

import { after } from '../jsonrpc/timeout.ts';
import type { Consent } from '../consent/consent.ts';
import type { Outcome, Visit } from '../consent/visits.ts';
import { McpError } from '../protocol/error.ts';
import type { Ctx, ElicitedUrl } from '../server/ctx.ts';
import { ToolError } from '../server/offer/tool-result.ts';
import { urlElicitationRequired } from '../server/url-elicitation.ts';

/** The account that is asked for. */
export interface AskedAccount {
  readonly consent: Consent;
  readonly about: Pick<Visit, 'principal' | 'party' | 'scopes'>;
  /** The third party's name, as people know it. */
  readonly name: string;
  readonly serverName: string;
  /** Names the question within the request. */
  readonly key: string;
  /** Time to wait for a person who agreed to go, in milliseconds. */
  readonly waitMs: number;
  /** Tells whether the account is connected, by this visit or another. */
  isConnected(): Promise<boolean>;
  /** Ends what waits when nobody waits for it any more. */
  readonly closed: AbortSignal;
}

/**
 * Sends the person to the page, and waits until the account is connected. In 2026-07-28 the run ends with the question; the retry comes
 * here again, and finds the same link.
 *
 * @throws ToolError where it came to nothing, or where the client cannot be asked: its text has the link, for whoever reads it.
 * @throws McpError urlElicitationRequired where the person takes longer than a request waits, in the revision that has it.
 */
export async function askForAccount(ctx: Ctx, asked: AskedAccount): Promise<void> {
  const { consent, about, name, serverName, key } = asked;
  const { info } = ctx.client;
  const by = info?.title ?? info?.name;
  const url = await ctx.once(key, async () => (await consent.invite({ ...about, by })).url);
  const message = `Connect your account at ${name} to ${serverName}.`;
  const elicited = await elicitedUrl(ctx, { message, url }, key);
  if (elicited === undefined) throw notYet(name, url);
  if (elicited.action !== 'accept')
    throw new ToolError(`the account at ${name} was not connected: the user did not agree to go there`);
  const visit = await consent.visitOf(url);
  const outcome = visit === undefined ? 'over' : await waited(ctx, visit, asked);
  if (outcome === 'granted') return elicited.completed();
  if (outcome === 'declined') throw new ToolError(`the account at ${name} was not connected: the user declined`);
  if (outcome === 'failed') throw new ToolError(`the account at ${name} was not connected: that failed; try again`);
  const { elicitationId } = elicited;
  if (outcome === 'over' || visit === undefined)
    throw new ToolError(`the account at ${name} was not connected in time; try again`);
  if (elicitationId === undefined) throw notYet(name, url);
  // The client hears when it is done, and asks again then.
  consent.outcome(visit, asked.closed, asked.isConnected).then(
    (late) => late === 'granted' && elicited.completed(),
    () => undefined,
  );
  throw urlElicitationRequired([{ message, url, elicitationId }]);
}

function notYet(name: string, url: string): ToolError {
  return new ToolError(
    `the account at ${name} is not connected yet: the user must open ${url} in a browser, and this must be called again afterwards`,
  );
}

/** The answer of the client; `undefined` for one that cannot be asked. */
async function elicitedUrl(
  ctx: Ctx,
  question: { readonly message: string; readonly url: string },
  key: string,
): Promise<ElicitedUrl | undefined> {
  try {
    return await ctx.elicitUrl(question, { key });
  } catch (error) {
    if (error instanceof McpError && error.kind === 'missingRequiredClientCapability') return undefined;
    throw error;
  }
}

/** The outcome of a visit, or that it has none yet. */
async function waited(
  ctx: Ctx,
  visit: Visit,
  { consent, waitMs, closed, isConnected }: AskedAccount,
): Promise<Outcome | 'waiting'> {
  const enough = new AbortController();
  const stop = after(waitMs, () => enough.abort());
  try {
    return await consent.outcome(visit, AbortSignal.any([ctx.signal, closed, enough.signal]), isConnected);
  } catch (error) {
    if (enough.signal.aborted) return 'waiting';
    throw error;
  } finally {
    stop();
  }
}
