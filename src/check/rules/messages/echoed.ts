import { revisionOf } from '../../../protocol/revision.ts';
import type { Bench } from '../../bench/bench.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged } from '../../verdict.ts';

/** Revisions with a handshake that a server says it speaks, and did not speak when it was asked by one. */
async function promised(bench: Bench): Promise<{ readonly all: number; readonly unspoken: readonly string[] }> {
  const speaker = await bench.shared();
  const { result } = await bench.works(speaker, 'server/discover');
  const named: unknown = result?.['supportedVersions'];
  const dates = (Array.isArray(named) ? named : []).filter((one) => {
    const revision = typeof one === 'string' ? revisionOf(one) : undefined;
    return revision !== undefined && revision.clientDescribed === 'once';
  }) as readonly string[];
  return { all: dates.length, unspoken: dates.filter((date) => !bench.spoken.some((one) => one.date === date)) };
}

/** Headers of this revision that initialize of another has not. */
const ofNone = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined };

/** It is looked at from the newest revision, where a server names all that it speaks: what it does not speak is judged by no rule else. */
const echoed: ProbeRule = {
  id: 'lifecycle-012',
  lives: ({ clientDescribed }) => clientDescribed === 'each-request',
  apart: true,
  words: 'Asked for a revision that it says it speaks, initialize is answered with that revision',
  mend: 'answer with the protocolVersion that was asked for, or leave the revision out of supportedVersions',
  async probe(bench) {
    const { all, unspoken } = await promised(bench);
    if (all === 0) return notApplicable('server/discover names no revision with a handshake');
    for (const date of unspoken) {
      const speaker = await bench.unopened();
      try {
        const clientInfo = { name: 'parley-check', version: '1' };
        const params = { protocolVersion: date, capabilities: {}, clientInfo };
        const answer = await speaker.request('initialize', params, {
          headers: ofNone,
          meta: undefined,
          waitMs: 30_000,
        });
        speaker.session = answer.headers['mcp-session-id'];
        const version = answer.result?.['protocolVersion'];
        if (typeof version !== 'string') return notJudged(`initialize of ${date} gives no result`);
        if (version !== date)
          return breaks(answer, `server/discover names ${date}, and initialize offers ${version} in its place`);
      } finally {
        await bench.end(speaker);
      }
    }
    return holds;
  },
};

/** Rules about what was promised. */
export const echoedRules: readonly ProbeRule[] = [echoed];
