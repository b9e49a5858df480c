import { revisionOf } from '../../../../../parley/src/protocol/revision.ts';
import type { Harness } from '../../harness/harness.ts';
import type { RequestExchange, Conventions, ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged } from '../../harness/verdict.ts';

/** Revisions with a handshake that a server says it speaks at the place where it is asked: HTTP+SSE has another one. */
async function promised(harness: Harness): Promise<readonly unknown[]> {
  const { result } = await harness.works(await harness.shared(), 'server/discover');
  const named: unknown = result?.['supportedVersions'];
  return (Array.isArray(named) ? named : []).filter((one) => {
    const revision = typeof one === 'string' ? revisionOf(one) : undefined;
    if (revision?.clientDescribed !== 'once') return false;
    return harness.over !== 'http' || revision.http !== 'sse-pair';
  });
}

/** Headers of this revision that initialize of another has not. */
const ofNone = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined };

/** Sends `initialize` several times, one right after the other: what a conversation ends with is sent when all were answered. */
async function initialized(
  harness: Harness,
  date: unknown,
  headers: readonly NonNullable<Conventions['headers']>[],
): Promise<readonly RequestExchange[]> {
  const speakers: ProbeClient[] = [];
  try {
    const answered: RequestExchange[] = [];
    for (const own of headers) {
      const probeClient = await harness.unopened();
      speakers.push(probeClient);
      const clientInfo = { name: 'parley-check', version: '1' };
      const params = { protocolVersion: date, capabilities: {}, clientInfo };
      const conventions = { headers: { ...ofNone, ...own }, meta: undefined, waitTimeoutMs: harness.coldMs };
      const answer = await probeClient.request('initialize', params, conventions);
      probeClient.session = answer.headers['mcp-session-id'];
      answered.push(answer);
    }
    return answered;
  } finally {
    for (const probeClient of speakers) await harness.end(probeClient);
  }
}

const versionIn = ({ result }: RequestExchange): unknown => result?.['protocolVersion'];

/**
 * Reason for which one server may name a revision and another one be asked for it: those of a service that is being renewed take turns, and
 * what stands before them may choose by the header of a revision, which initialize has not.
 */
async function severalServers(harness: Harness, date: string, offer: string): Promise<string | undefined> {
  if (harness.over !== 'http') return undefined;
  const again = await initialized(harness, date, [{}, {}, { 'MCP-Protocol-Version': date }]);
  const isOther = (answer: RequestExchange, at: number): boolean =>
    // Who is told of it in a header may refuse what it does not speak.
    versionIn(answer) !== offer && (at < 2 || versionIn(answer) !== undefined);
  if (again.some(isOther)) return `initialize of ${date} offers now this and now that`;
  for (let left = 3; left > 0; left--) {
    const named = await promised(harness);
    if (!named.includes(date)) return 'server/discover names now these and now those';
    if (!named.includes(offer)) return `initialize offers ${offer}, which server/discover does not name`;
  }
  return undefined;
}

/** It is looked at from the newest revision, where a server names all that it speaks: what it does not speak is judged by no rule else. */
const echoed: ProbeRule = {
  id: 'lifecycle-012',
  lives: ({ clientDescribed }) => clientDescribed === 'each-request',
  apart: true,
  message: 'If the server supports the requested revision, initialize returns that revision',
  fix: 'answer with the protocolVersion that was asked for, or leave the revision out of supportedVersions',
  async probe(harness) {
    const all = await promised(harness);
    if (all.length === 0)
      return notApplicable('server/discover names no revision with a handshake that is spoken there');
    for (const date of all) {
      if (typeof date !== 'string' || harness.spoken.some((one) => one.date === date)) continue;
      const [answer] = await initialized(harness, date, [{}]);
      const version = answer && versionIn(answer);
      if (answer === undefined || typeof version !== 'string')
        return notJudged(`initialize of ${date} gives no result`);
      if (version === date) continue;
      const several = await severalServers(harness, date, version);
      if (several !== undefined) return notJudged(`${several}: several servers may answer there`);
      return breaks(answer, `server/discover names ${date}, and initialize offers ${version} in its place`);
    }
    return holds;
  },
};

/** Rules about what was promised. */
export const echoedRules: readonly ProbeRule[] = [echoed];
