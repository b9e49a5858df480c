import type { Bench } from '../../harness/bench.ts';
import { sendCall } from '../../harness/calls.ts';
import { answers, type RawExchange } from '../../harness/exchange.ts';
import type { RequestExchange, Prober } from '../../harness/prober.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, type RuleVerdict } from '../../verdict.ts';
import { isEventStream } from '../../harness/manner.ts';
import { eventIds } from './streams.ts';

/** Rules about streams that end before their answer, and about those that are resumed. */

/** A request that is answered by a stream whose events have ids: a harmless one, or an allowed call; `undefined` where there is none. */
async function namedStream(
  bench: Bench,
): Promise<((speaker: Prober, id: string) => Promise<RequestExchange>) | undefined> {
  const hasIds = (one: RawExchange): boolean => isEventStream(one) && eventIds(one).length > 0;
  if (hasIds(await bench.works(await bench.shared(), bench.harmless)))
    return (speaker, id) => speaker.request(bench.harmless, undefined, { id });
  const isAllowed = (await bench.allowed()).some((one) => 'args' in one);
  const made = isAllowed ? await bench.made('mute') : [];
  const found = made.find(({ result, tookMs, last }) => result !== undefined && tookMs < maxMs && hasIds(last));
  return found && ((speaker, id) => sendCall(speaker, found.of, { id, meta: { progressToken: id } }));
}

/** Longest time that a call may take to be made twice more, in milliseconds. */
const maxMs = 2_000;

const replayed: ProbeRule = {
  id: 'http-040',
  apart: true,
  over: 'http',
  message: 'A resumed stream has no messages of another stream',
  fix: 'keep with each event the stream that it went out on, and replay those of the stream of Last-Event-ID alone',
  async probe(bench) {
    const ask = await namedStream(bench);
    if (ask === undefined) return notApplicable('its events have no ids');
    const speaker = await bench.fresh();
    try {
      const ids = ['parley-check-resumed', 'parley-check-other'] as const;
      const [resumed, other] = [await ask(speaker, ids[0]), await ask(speaker, ids[1])];
      if (resumed.response === undefined || other.response === undefined)
        return notJudged('a right request was not answered');
      const [from] = eventIds(resumed);
      if (from === undefined) return notApplicable('its events have no ids');
      const again = await speaker.fetch('GET', {
        headers: { 'Last-Event-ID': from },
        waitTimeoutMs: 2 * bench.quietMs,
      });
      if (again?.status !== 200 || !isEventStream(again)) return notApplicable('it resumes no streams');
      const has = (id: string): boolean => again.messages.flat().some((one) => answers(one, id));
      if (has(ids[1])) return breaks(again, `after ${JSON.stringify(from)} the answer of another stream came`);
      return has(ids[0]) ? holds : notApplicable('nothing came that shows that it replays');
    } finally {
      await bench.end(speaker);
    }
  },
};

/** Streams of requests that ended before the answer, of one that changes nothing and of calls that are allowed. */
async function closedEarly(bench: Bench): Promise<readonly RawExchange[]> {
  const plain = await (await bench.shared()).request(bench.harmless);
  const made = (await bench.allowed()).some((one) => 'args' in one)
    ? [...(await bench.made('mute')), ...(await bench.made('obliging'))]
    : [];
  const all: readonly RequestExchange[] = [plain, ...made.flatMap(({ rounds }) => rounds)];
  return all.filter(
    (one) => one.status === 200 && isEventStream(one) && one.end === 'complete' && one.response === undefined,
  );
}

async function judgeEarly(bench: Bench, judge: (exchange: RawExchange) => RuleVerdict): Promise<RuleVerdict> {
  const early = await closedEarly(bench);
  if (early.length === 0) return notApplicable('no stream ended before its answer');
  const verdicts = early.map(judge);
  return verdicts.find(({ verdict }) => verdict === 'breaks') ?? verdicts[0] ?? holds;
}

const keptOpen: ProbeRule = {
  id: 'http-022',
  over: 'http',
  message: 'The stream of a request is not closed before its answer',
  fix: 'keep the stream open: clients of this revision do not come back for the rest',
  probe: (bench) =>
    judgeEarly(bench, (exchange) =>
      // One cause is one finding.
      eventIds(exchange).length === 0
        ? notJudged('nothing can be resumed: see http-019')
        : breaks(exchange, 'it was closed, and there was no answer on it'),
    ),
};

const saysWhen: ProbeRule = {
  id: 'http-025',
  over: 'http',
  message: 'A stream that closes before the response sends retry first',
  fix: 'send retry: and a number of milliseconds before you close it',
  probe: (bench) =>
    judgeEarly(bench, (exchange) => {
      if (eventIds(exchange).length === 0) return notJudged('nothing can be resumed: see http-019');
      return /^retry: ?\d+\r?$/m.test(exchange.text) ? holds : breaks(exchange, 'it was closed without one');
    }),
};

/** Rules about resuming. */
export const resumedRules: readonly ProbeRule[] = [replayed, keptOpen, saysWhen];
