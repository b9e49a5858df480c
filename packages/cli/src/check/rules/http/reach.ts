import { networkInterfaces } from 'node:os';
import { isLoopback } from '../../../../../parley/src/auth/common/network.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import { isEventStream } from '../../harness/manner.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, type RuleVerdict } from '../../harness/verdict.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about where a server of this machine can be reached. */

/** Most addresses of this machine that are tried. */
const maxAddresses = 3;

/**
 * Addresses of this machine at which what listens at 127.0.0.1 alone is not reached. Where the whole of 127.0.0.0/8 is this machine,
 * one of those needs no network.
 */
function otherAddresses(): readonly string[] {
  const ofNetworks = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  return ['127.0.0.2', ...ofNetworks].slice(0, maxAddresses);
}

/** Sign by which a server is known in its answer to a stranger; `undefined` where many would answer so. */
function signOf({ status, headers, messages }: RawExchange): string | undefined {
  const [message] = messages.flat().filter(isObject);
  if (message?.['jsonrpc'] !== undefined) {
    const { error } = message;
    return `${status} ${isObject(error) ? `${wholeText(error['code'])} ${wholeText(error['message'])}` : 'with a result'}`;
  }
  if (status === 200 && isEventStream({ headers })) return 'a stream';
  return headers['www-authenticate'] && `${status} ${headers['www-authenticate']}`;
}

/** Tells whether something came of it, be it that nobody listens there. */
function isTried({ status, reason = '' }: RawExchange): boolean {
  return status !== undefined || reason.includes('ECONNREFUSED');
}

/**
 * Looks for the server at other addresses of its machine, where somebody else may listen: nothing that is the user's is shown there, and
 * the server is known by the same answer to the same request.
 */
async function judgeReach(harness: Harness, request: Parameters<Harness['stranger']>[0]): Promise<RuleVerdict> {
  const { hostname, protocol } = harness.http.url;
  if (!isLoopback(hostname)) return notApplicable('it is not on this machine');
  if (protocol === 'https:') return notJudged('a certificate is for a name, and not for every address');
  const sign = signOf(await harness.stranger(request));
  if (sign === undefined) return notJudged('it answers a stranger by nothing that it can be known by');
  let tried = 0;
  for (const address of otherAddresses()) {
    const answer = await harness.stranger(request, address);
    if (signOf(answer) === sign) return breaks(answer, `it answers at ${address} too`);
    if (isTried(answer)) tried++;
  }
  return tried > 0 ? holds : notJudged('no other address of this machine could be tried');
}

const words = 'A server on this machine listens on the loopback address only';
const fix = 'give the host to listen(): listen(port, "127.0.0.1")';

const bound: ProbeRule = {
  id: 'http-005',
  over: 'http',
  once: true,
  message: words,
  fix,
  probe: (harness) =>
    judgeReach(harness, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'parley-check-reach', method: harness.harmless }),
    }),
};

const pairBound: ProbeRule = {
  id: 'sse-005',
  over: 'sse',
  message: words,
  fix,
  probe: (harness) => judgeReach(harness, { method: 'GET', headers: { accept: 'text/event-stream' } }),
};

/** Rules about where a server listens. */
export const reachRules: readonly ProbeRule[] = [bound, pairBound];
