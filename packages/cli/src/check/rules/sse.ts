import type { Harness } from '../harness/harness.ts';
import { isMessageText } from '../harness/manner.ts';
import type { RawPair } from '../harness/pair.ts';
import type { ProbeClient } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import { looksGuessable } from './common/guessable.ts';
import { breaks, holds, NotJudged, notJudged, unless, type RuleVerdict } from '../harness/verdict.ts';

/** Rules about HTTP+SSE, the transport of 2024-11-05. */

/** A page that belongs to nobody's application. */
const strangeOrigin = 'http://parley-check.invalid';

/** Judges a stream of its own, in a conversation that works. */
async function withPair(harness: Harness, judge: (pair: RawPair) => Promise<RuleVerdict>): Promise<RuleVerdict> {
  const probeClient = await harness.fresh();
  try {
    await harness.ready(probeClient);
    const { pair } = probeClient;
    if (pair === undefined) throw new NotJudged('there is no stream');
    return await judge(pair);
  } finally {
    await harness.end(probeClient);
  }
}

const twoEndpoints: ProbeRule = {
  id: 'sse-001',
  message: 'The server receives messages at a separate endpoint, and responds on the stream',
  fix: 'answer the POST with HTTP 202, and send what answers the message as an event of the stream',
  over: 'sse',
  probe: (harness) =>
    withPair(harness, async (pair) => {
      const ping = { jsonrpc: '2.0', id: 'parley-check-ping', method: 'ping' };
      const answer = await pair.post(JSON.stringify(ping), { waitTimeoutMs: harness.waitTimeoutMs });
      const { status, messages } = answer;
      if (status === undefined || status >= 400) return notJudged(`a right ping gets HTTP ${status}`);
      return unless(messages.length > 0, answer, 'the response to the POST has the message');
    }),
};

const endpointFirst: ProbeRule = {
  id: 'sse-002',
  message: 'The first event of a stream names a message endpoint at the same origin',
  fix: 'send the event endpoint with the path for messages before any other',
  over: 'sse',
  probe: (harness) =>
    withPair(harness, async ({ odd, named, opening }) => {
      const before = odd.find(({ isEarly }) => isEarly);
      if (named === undefined) return breaks(opening, 'there was none');
      return unless(before !== undefined, opening, `an event ${JSON.stringify(before?.type)} came before it`);
    }),
};

const messageEvents: ProbeRule = {
  id: 'sse-007',
  message: 'Messages are events of the type message, whose data are JSON',
  fix: 'send event: message, and the JSON text of the message as its data',
  over: 'sse',
  probe: (harness) =>
    withPair(harness, async ({ odd, opening }) => {
      const other = odd.find(({ data, isEarly }) => !isEarly && isMessageText(data));
      return unless(other !== undefined, opening, `a message came as an event ${JSON.stringify(other?.type)}`);
    }),
};

const origin: ProbeRule = {
  id: 'sse-004',
  message: 'Stream requests and messages from a page of another origin are refused',
  fix: 'compare the header Origin, where there is one, with the origins that may connect, and refuse others with 403',
  over: 'sse',
  probe: (harness) =>
    withPair(harness, async (pair) => {
      const stream = await harness.http.listen(
        { headers: { accept: 'text/event-stream', Origin: strangeOrigin }, waitTimeoutMs: harness.waitTimeoutMs },
        { event: () => undefined, over: () => undefined },
      );
      stream.close();
      if (stream.isOpen) return breaks(stream.exchange, 'the stream was opened');
      const ping = { jsonrpc: '2.0', id: 'parley-check-origin', method: 'ping' };
      const answer = await pair.post(
        JSON.stringify(ping),
        { waitTimeoutMs: harness.waitTimeoutMs },
        { Origin: strangeOrigin },
      );
      const { status } = answer;
      return status !== undefined && status < 300 ? breaks(answer, 'a message was taken') : holds;
    }),
};

/** The part of an endpoint that names its session: its only parameter, or the end of its path. */
function sessionOf(endpoint: string): string {
  const { pathname, searchParams } = new URL(endpoint, 'http://parley-check.invalid');
  const [value, ...others] = [...searchParams.values()];
  return value !== undefined && others.length === 0 ? value : (pathname.split('/').at(-1) ?? '');
}

const unguessable: ProbeRule = {
  id: 'security-017',
  message: 'The endpoint URL of a session is unguessable',
  fix: 'make session ids of 128 random bits, such as those of crypto.randomUUID()',
  over: 'sse',
  async probe(harness) {
    const speakers: ProbeClient[] = [];
    try {
      for (let left = 5; left > 0; left--) speakers.push(await harness.fresh());
      const pairs = speakers.flatMap(({ pair }) => pair ?? []);
      const ids = pairs.flatMap(({ endpoint }) => (endpoint === undefined ? [] : [sessionOf(endpoint)]));
      const [first] = pairs;
      // Who names all by one endpoint knows them by something else.
      if (first === undefined || new Set(ids).size < speakers.length) return notJudged('the endpoints name no session');
      const why = looksGuessable(ids);
      return why === undefined ? holds : breaks(first.opening, why);
    } finally {
      for (const probeClient of speakers) await harness.end(probeClient);
    }
  },
};

/** Rules about HTTP+SSE. */
export const sseRules: readonly ProbeRule[] = [twoEndpoints, endpointFirst, messageEvents, origin, unguessable];
