import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import { answers, errorCodeIn, type RawExchange } from '../../harness/exchange.ts';
import { isEventStream } from '../../harness/manner.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import { rowOf } from '../../register.ts';
import { besideStreams } from './beside-streams.ts';
import type { ProbeRule, WatchRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';

/** Rules about streams over HTTP: which message goes where, how they end, and what their events are called. */

/** Messages that are heard on streams that were opened beside a request, and the answer to it. */
interface Heard {
  readonly id: string;
  readonly answer: RequestExchange;
  readonly streams: readonly RawExchange[];
}

/** Asks something in a session of which two streams are open. */
async function askBeside(harness: Harness, judge: (heard: Heard) => RuleVerdict): Promise<RuleVerdict> {
  const probeClient = await harness.fresh();
  try {
    await harness.ready(probeClient);
    const id = 'parley-check-beside';
    const { done: answer, streams } = await besideStreams(harness, { probeClient, count: 2 }, () =>
      probeClient.request(harness.harmless, undefined, { id }),
    );
    return streams.length === 0 ? notApplicable('it opens no stream by GET') : judge({ id, answer, streams });
  } finally {
    await harness.end(probeClient);
  }
}

/**
 * Sign by which a message is that one and no other; `undefined` where several may say the same, such as pings, log messages, and news that a
 * list changed.
 */
function signOf(message: unknown, own: string): string | undefined {
  if (!isObject(message)) return undefined;
  if (answers(message, own)) return 'its answer';
  const { method, id, params } = message;
  // Who sends a ping by the clock on each stream may give all of them one id.
  if (typeof method === 'string' && id !== undefined && id !== null && method !== 'ping')
    return `${method} with the id ${JSON.stringify(id)}`;
  if (method !== 'notifications/progress' || !isObject(params)) return undefined;
  // It rises: the same of one token is said once.
  return `the progress ${JSON.stringify(params['progress'])} of ${JSON.stringify(params['progressToken'])}`;
}

const once: ProbeRule = {
  id: 'http-036',
  apart: true,
  message: 'No message is sent on two streams',
  fix: 'send each message on one stream: an answer on that of its request',
  over: 'http',
  probe: (harness) =>
    askBeside(harness, ({ id, answer, streams }) => {
      const seen = new Set<string>();
      for (const { messages } of [answer, ...streams])
        for (const sign of new Set(messages.flat().map((one) => signOf(one, id)))) {
          if (sign !== undefined && seen.has(sign)) return breaks(answer, `${sign} came on two`);
          if (sign !== undefined) seen.add(sign);
        }
      return holds;
    }),
};

const noResponses: ProbeRule = {
  id: 'http-034',
  apart: true,
  message: 'No response is sent on a stream that a GET opened',
  fix: 'answer on the stream of the request, or with its body',
  over: 'http',
  probe: (harness) =>
    askBeside(harness, ({ id, answer, streams }) => {
      const stray = streams.find(({ messages }) => messages.flat().some((one) => answers(one, id)));
      if (stray !== undefined && answer.response !== undefined)
        return notJudged('it came on two streams: see http-036');
      return unless(stray !== undefined, stray ?? answer, 'the answer came on it, and not to the request');
    }),
};

/** Ids of the events of a stream. */
export function eventIds({ text }: RawExchange): readonly string[] {
  return [...text.matchAll(/^id: ?(.+?)\r?$/gm)].map(([, id = '']) => id);
}

const eventNames: ProbeRule = {
  id: 'http-037',
  apart: true,
  message: 'No two events of a session have the same id',
  fix: 'make the ids of events unique over all streams of the session',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.fresh();
    try {
      await harness.ready(probeClient);
      const seen = new Set<string>();
      for (let left = 3; left > 0; left--) {
        const answer = await harness.works(probeClient, harness.harmless);
        const ids = isEventStream(answer) ? eventIds(answer) : [];
        const again = ids.find((id, at) => seen.has(id) || ids.indexOf(id) !== at);
        if (again !== undefined) return breaks(answer, `${JSON.stringify(again)} came before`);
        for (const id of ids) seen.add(id);
      }
      return seen.size === 0 ? notApplicable('its events have no ids') : holds;
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** A rule that a stream ends with its answer, by the row of a time. */
function endsWithAnswer(id: string): ProbeRule {
  return {
    id,
    message: 'The stream of a request ends with its answer',
    fix: 'end the response when the answer was sent',
    over: 'http',
    async probe(harness) {
      const probeClient = await harness.shared();
      await harness.ready(probeClient);
      // It is waited for the end, and not for the answer.
      const exchange = await probeClient.request(harness.harmless, undefined, { until: () => false });
      if (!isEventStream(exchange) || exchange.response === undefined)
        return notApplicable('it answers without a stream');
      return unless(exchange.end === 'silent', exchange, 'it was still open when there was no more to come');
    },
  };
}

const answersOnStream: ProbeRule = {
  id: 'http-019',
  message: 'The stream of a request ends with its response, or can be resumed',
  fix: 'send the response before the stream ends',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    const exchange = await probeClient.request(harness.harmless);
    if (!isEventStream(exchange)) return notApplicable('it answers without a stream');
    if (exchange.response === undefined && exchange.end !== 'complete') return notJudged('no answer came');
    const isResumable = eventIds(exchange).length > 0;
    return unless(
      exchange.end === 'complete' && exchange.response === undefined && !isResumable,
      exchange,
      'it ended without one',
    );
  },
};

const primed: WatchRule = {
  id: 'http-024',
  message: 'A stream with event ids begins with an event without data',
  fix: 'send an event with an id and empty data first, from which a client can resume',
  watch({ sent, exchange }) {
    // While a conversation is opened it has no revision yet: one may be asked for that had no such event.
    const isAnswer = sent?.['id'] !== undefined && sent['method'] !== undefined && sent['method'] !== 'initialize';
    if (!isAnswer || exchange.status !== 200 || !isEventStream(exchange) || eventIds(exchange).length === 0)
      return 'not-seen';
    // Comments and what is said of retrying are no events.
    const [first = ''] = exchange.text.split(/\r?\n\r?\n/).filter((block) => /^(?:id|data|event):/m.test(block));
    const isPrimer = /^id:/m.test(first) && !/^data: ?\S/m.test(first);
    return isPrimer ? 'holds' : { breaks: 'its first event is a message' };
  },
};

const unbuffered: WatchRule = {
  id: 'http-057',
  message: 'Streams have the header X-Accel-Buffering: no',
  fix: 'send the header X-Accel-Buffering: no with text/event-stream',
  watch({ exchange }) {
    if (exchange.status !== 200 || !isEventStream(exchange)) return 'not-seen';
    const said = exchange.headers['x-accel-buffering'];
    return said?.toLowerCase() === 'no' ? 'holds' : { breaks: `it is ${said ?? 'missing'}` };
  },
};

/** Asks for a thing by a name that nobody has, with a value of Mcp-Name. */
async function named(harness: Harness, header: string): Promise<RequestExchange> {
  const probeClient = await harness.shared();
  const method = isObject(probeClient.capabilities['tools']) ? 'tools/call' : 'prompts/get';
  return await probeClient.request(method, { name: nobody }, { headers: { 'Mcp-Name': header } });
}

const mismatched = -32020;

/** A server compares Mcp-Name at all. @throws NotJudged, or gives why nothing can be said. */
async function comparesNames(harness: Harness): Promise<string | undefined> {
  const { capabilities } = await harness.shared();
  if (!isObject(capabilities['tools']) && !isObject(capabilities['prompts'])) return 'it has no tools and no prompts';
  const [right, wrong] = [await named(harness, nobody), await named(harness, `${nobody}-other`)];
  if (errorCodeIn(right) === mismatched) return 'it refuses a right Mcp-Name';
  return errorCodeIn(wrong) === mismatched ? undefined : 'it does not compare Mcp-Name: see http-075';
}

const wrapped = (marker: string): string => `=?${marker}?${Buffer.from(nobody).toString('base64')}?=`;

const decoded: ProbeRule = {
  id: 'http-079',
  message: 'A base64 value of Mcp-Name is decoded before the comparison',
  fix: 'decode =?base64?…?= before the header is compared with the body',
  over: 'http',
  async probe(harness) {
    const why = await comparesNames(harness);
    if (why !== undefined) return notJudged(why);
    const answer = await named(harness, wrapped('base64'));
    return unless(errorCodeIn(answer) === mismatched, answer, 'it was taken for another name');
  },
};

const exactMarkers: ProbeRule = {
  id: 'http-095',
  message: 'The base64 marker is lower case: =?BASE64? marks no base64 value',
  fix: 'compare the markers as they are, and take what has others for a plain value',
  over: 'http',
  async probe(harness) {
    const why = await comparesNames(harness);
    if (why !== undefined) return notJudged(why);
    const answer = await named(harness, wrapped('BASE64'));
    return unless(errorCodeIn(answer) !== mismatched, answer, 'it was decoded');
  },
};

const refusedNotification: ProbeRule = {
  id: 'http-016',
  message: 'A notification that is not accepted gets an HTTP error status',
  fix: 'answer with HTTP 400, with or without an error of JSON-RPC',
  over: 'http',
  // What a notification is refused for there is that its revision is none.
  lives: (revision) => revision.versionHeader !== 'never' && rowOf('http-016').lives(revision),
  async probe(harness) {
    const probeClient: ProbeClient = await harness.shared();
    await harness.ready(probeClient);
    const exchange = await probeClient.notify(
      'notifications/cancelled',
      { requestId: nobody },
      { headers: { 'MCP-Protocol-Version': '1999-12-31' } },
    );
    const { status } = exchange;
    if (status === undefined) return notJudged('no response came');
    if (status === 202) return notApplicable('it accepts it');
    return unless(status < 400 && errorCodeIn(exchange) !== undefined, exchange, `HTTP ${status} with an error`);
  },
};

/** Rules about streams, and about names in headers. */
export const httpStreamRules: readonly (ProbeRule | WatchRule)[] = [
  once,
  noResponses,
  eventNames,
  endsWithAnswer('http-023'),
  endsWithAnswer('http-056'),
  answersOnStream,
  primed,
  unbuffered,
  decoded,
  exactMarkers,
  refusedNotification,
];
