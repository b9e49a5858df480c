import type { Harness } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import { answers, type RawExchange } from '../../harness/exchange.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, type RuleVerdict } from '../../harness/verdict.ts';
import { isEventStream } from '../../harness/manner.ts';
import { eventIds } from './streams.ts';

/** Rules about streams that end before their answer, and about those that are resumed. */

/** A request that is answered by a stream whose events have ids: a harmless one, or an allowed call; `undefined` where there is none. */
async function namedStream(
  harness: Harness,
): Promise<((probeClient: ProbeClient, id: string) => Promise<RequestExchange>) | undefined> {
  const hasIds = (one: RawExchange): boolean => isEventStream(one) && eventIds(one).length > 0;
  if (hasIds(await harness.works(await harness.shared(), harness.harmless)))
    return (probeClient, id) => probeClient.request(harness.harmless, undefined, { id });
  const isAllowed = (await harness.allowed()).some((one) => 'args' in one);
  const made = isAllowed ? await harness.made('mute') : [];
  const found = made.find(({ result, tookMs, last }) => result !== undefined && tookMs < maxMs && hasIds(last));
  return found && ((probeClient, id) => sendCall(probeClient, found.of, { id, meta: { progressToken: id } }));
}

/** Longest time that a call may take to be made twice more, in milliseconds. */
const maxMs = 2_000;

const replayed: ProbeRule = {
  id: 'http-040',
  apart: true,
  over: 'http',
  message: 'A resumed stream has no messages of another stream',
  fix: 'keep with each event the stream that it went out on, and replay those of the stream of Last-Event-ID alone',
  async probe(harness) {
    const ask = await namedStream(harness);
    if (ask === undefined) return notApplicable('its events have no ids');
    const probeClient = await harness.fresh();
    try {
      const ids = ['parley-check-resumed', 'parley-check-other'] as const;
      const [resumed, other] = [await ask(probeClient, ids[0]), await ask(probeClient, ids[1])];
      if (resumed.response === undefined || other.response === undefined)
        return notJudged('a right request was not answered');
      const [from] = eventIds(resumed);
      if (from === undefined) return notApplicable('its events have no ids');
      const again = await probeClient.fetch('GET', {
        headers: { 'Last-Event-ID': from },
        waitTimeoutMs: 2 * harness.quietMs,
      });
      if (again?.status !== 200 || !isEventStream(again)) return notApplicable('it resumes no streams');
      const has = (id: string): boolean => again.messages.flat().some((one) => answers(one, id));
      if (has(ids[1])) return breaks(again, `after ${JSON.stringify(from)} the answer of another stream came`);
      return has(ids[0]) ? holds : notApplicable('nothing came that shows that it replays');
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Streams of requests that ended before the answer, of one that changes nothing and of calls that are allowed. */
async function closedEarly(harness: Harness): Promise<readonly RawExchange[]> {
  const plain = await (await harness.shared()).request(harness.harmless);
  const made = (await harness.allowed()).some((one) => 'args' in one)
    ? [...(await harness.made('mute')), ...(await harness.made('obliging'))]
    : [];
  const all: readonly RequestExchange[] = [plain, ...made.flatMap(({ rounds }) => rounds)];
  return all.filter(
    (one) => one.status === 200 && isEventStream(one) && one.end === 'complete' && one.response === undefined,
  );
}

async function judgeEarly(harness: Harness, judge: (exchange: RawExchange) => RuleVerdict): Promise<RuleVerdict> {
  const early = await closedEarly(harness);
  if (early.length === 0) return notApplicable('no stream ended before its answer');
  const verdicts = early.map(judge);
  return verdicts.find(({ verdict }) => verdict === 'breaks') ?? verdicts[0] ?? holds;
}

const keptOpen: ProbeRule = {
  id: 'http-022',
  over: 'http',
  message: 'The stream of a request is not closed before its answer',
  fix: 'keep the stream open: clients of this revision do not come back for the rest',
  probe: (harness) =>
    judgeEarly(harness, (exchange) =>
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
  probe: (harness) =>
    judgeEarly(harness, (exchange) => {
      if (eventIds(exchange).length === 0) return notJudged('nothing can be resumed: see http-019');
      return /^retry: ?\d+\r?$/m.test(exchange.text) ? holds : breaks(exchange, 'it was closed without one');
    }),
};

/** Rules about resuming. */
export const resumedRules: readonly ProbeRule[] = [replayed, keptOpen, saysWhen];
