import { networkInterfaces } from 'node:os';
import { isLoopback } from '../../../auth/network.ts';
import type { Bench } from '../../bench/bench.ts';
import type { Exchanged } from '../../bench/exchange.ts';
import type { RawStream } from '../../bench/http.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, type RuleVerdict } from '../../verdict.ts';

/** Rules about where a server of this machine can be reached. */

/** Most addresses of this machine that are tried. */
const mostAddresses = 3;

/**
 * Addresses of this machine at which what listens at 127.0.0.1 alone is not reached. Where the whole of 127.0.0.0/8 is this machine,
 * one of those needs no network.
 */
function otherAddresses(): readonly string[] {
  const ofNetworks = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  return ['127.0.0.2', ...ofNetworks].slice(0, mostAddresses);
}

/** Asks for the stream of HTTP+SSE, at an address where that is another. */
async function stream(bench: Bench, address?: string): Promise<RawStream> {
  const at = address === undefined ? {} : { at: address };
  const found = await bench.http.listen(
    { headers: { accept: 'text/event-stream' }, waitMs: bench.quietMs, ...at },
    { event: () => undefined, over: () => undefined },
  );
  found.close();
  return found;
}

/** Looks for the server at other addresses. @param answersAt Asks it for what nobody else would answer so. */
async function judgeReach(
  bench: Bench,
  answersAt: (address: string) => Promise<{ readonly exchange: Exchanged; readonly isServer: boolean }>,
): Promise<RuleVerdict> {
  const { hostname, protocol } = bench.http.url;
  if (!isLoopback(hostname)) return notApplicable('it is not on this machine');
  if (protocol === 'https:') return notJudged('a certificate is for a name, and not for every address');
  let tried = 0;
  for (const address of otherAddresses()) {
    const { exchange, isServer } = await answersAt(address);
    if (isServer) return breaks(exchange, `it answers at ${address} too`);
    if (exchange.status !== undefined || exchange.end === 'refused') tried++;
  }
  return tried > 0 ? holds : notJudged('no other address of this machine could be tried');
}

const words = 'A server that runs on this machine listens at its loopback address alone';
const mend = 'give the host to listen(): listen(port, "127.0.0.1")';

const bound: ProbeRule = {
  id: 'http-005',
  over: 'http',
  once: true,
  words,
  mend,
  async probe(bench) {
    const speaker = await bench.shared();
    await bench.works(speaker, bench.harmless);
    return await judgeReach(bench, async (at) => {
      const exchange = await speaker.request(bench.harmless, undefined, { at, waitMs: 3 * bench.quietMs });
      return { exchange, isServer: exchange.result !== undefined };
    });
  },
};

const pairBound: ProbeRule = {
  id: 'sse-005',
  over: 'sse',
  words,
  mend,
  async probe(bench) {
    if (!(await stream(bench)).isOpen) return notJudged('its stream could not be opened once more');
    return await judgeReach(bench, async (at) => {
      const { exchange, isOpen } = await stream(bench, at);
      return { exchange, isServer: isOpen };
    });
  },
};

/** Rules about where a server listens. */
export const reachRules: readonly ProbeRule[] = [bound, pairBound];
