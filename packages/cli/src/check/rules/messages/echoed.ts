import { revisionOf } from '../../../../../parley/src/protocol/revision.ts';
import type { Bench } from '../../harness/bench.ts';
import type { RequestExchange, Manner, Prober } from '../../harness/prober.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged } from '../../verdict.ts';

/** Revisions with a handshake that a server says it speaks at the place where it is asked: HTTP+SSE has another one. */
async function promised(bench: Bench): Promise<readonly unknown[]> {
  const { result } = await bench.works(await bench.shared(), 'server/discover');
  const named: unknown = result?.['supportedVersions'];
  return (Array.isArray(named) ? named : []).filter((one) => {
    const revision = typeof one === 'string' ? revisionOf(one) : undefined;
    if (revision?.clientDescribed !== 'once') return false;
    return bench.over !== 'http' || revision.http !== 'sse-pair';
  });
}

/** Headers of this revision that initialize of another has not. */
const ofNone = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined };

/** Sends `initialize` several times, one right after the other: what a conversation ends with is sent when all were answered. */
async function initialized(
  bench: Bench,
  date: unknown,
  headers: readonly NonNullable<Manner['headers']>[],
): Promise<readonly RequestExchange[]> {
  const speakers: Prober[] = [];
  try {
    const answered: RequestExchange[] = [];
    for (const own of headers) {
      const speaker = await bench.unopened();
      speakers.push(speaker);
      const clientInfo = { name: 'parley-check', version: '1' };
      const params = { protocolVersion: date, capabilities: {}, clientInfo };
      const manner = { headers: { ...ofNone, ...own }, meta: undefined, waitTimeoutMs: 30_000 };
      const answer = await speaker.request('initialize', params, manner);
      speaker.session = answer.headers['mcp-session-id'];
      answered.push(answer);
    }
    return answered;
  } finally {
    for (const speaker of speakers) await bench.end(speaker);
  }
}

const versionIn = ({ result }: RequestExchange): unknown => result?.['protocolVersion'];

/**
 * Reason for which one server may name a revision and another one be asked for it: those of a service that is being renewed take turns, and
 * what stands before them may choose by the header of a revision, which initialize has not.
 */
async function severalServers(bench: Bench, date: string, offer: string): Promise<string | undefined> {
  if (bench.over !== 'http') return undefined;
  const again = await initialized(bench, date, [{}, {}, { 'MCP-Protocol-Version': date }]);
  const isOther = (answer: RequestExchange, at: number): boolean =>
    // Who is told of it in a header may refuse what it does not speak.
    versionIn(answer) !== offer && (at < 2 || versionIn(answer) !== undefined);
  if (again.some(isOther)) return `initialize of ${date} offers now this and now that`;
  for (let left = 3; left > 0; left--) {
    const named = await promised(bench);
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
  async probe(bench) {
    const all = await promised(bench);
    if (all.length === 0)
      return notApplicable('server/discover names no revision with a handshake that is spoken there');
    for (const date of all) {
      if (typeof date !== 'string' || bench.spoken.some((one) => one.date === date)) continue;
      const [answer] = await initialized(bench, date, [{}]);
      const version = answer && versionIn(answer);
      if (answer === undefined || typeof version !== 'string')
        return notJudged(`initialize of ${date} gives no result`);
      if (version === date) continue;
      const several = await severalServers(bench, date, version);
      if (several !== undefined) return notJudged(`${several}: several servers may answer there`);
      return breaks(answer, `server/discover names ${date}, and initialize offers ${version} in its place`);
    }
    return holds;
  },
};

/** Rules about what was promised. */
export const echoedRules: readonly ProbeRule[] = [echoed];
