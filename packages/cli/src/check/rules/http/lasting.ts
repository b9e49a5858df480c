import type { RawExchange } from '../../harness/exchange.ts';
import type { Harness } from '../../harness/harness.ts';
import { isEventStream } from '../../harness/manner.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { eventIds } from './streams.ts';

/** Rules about streams that last for minutes, which are waited for where that is wished. */

/** Time for which a stream is listened to, in milliseconds, two minutes unless `--timeout` says otherwise: what stands before a server often ends one that is quiet for one minute. */
function lastingMs(harness: Harness): number {
  return 24 * harness.waitTimeoutMs;
}

const keptAlive: ProbeRule = {
  id: 'http-059',
  heavy: true,
  apart: true,
  message: 'A quiet subscription stream sends comments from time to time',
  fix: 'write a line such as ":" to streams that are quiet, more often than once a minute',
  over: 'http',
  async probe(harness) {
    const { capabilities } = await harness.offer();
    const lists = ['tools', 'prompts', 'resources'].filter((name) => capabilities[name] !== undefined);
    if (lists.length === 0) return notApplicable('it lists nothing that could change');
    const probeClient = await harness.fresh();
    try {
      const notifications = Object.fromEntries(lists.map((name) => [`${name}ListChanged`, true]));
      const waitTimeoutMs = lastingMs(harness);
      const exchange = await probeClient.request(
        'subscriptions/listen',
        { notifications },
        { waitTimeoutMs, until: () => false },
      );
      return ofQuiet(exchange, waitTimeoutMs);
    } finally {
      await harness.end(probeClient);
    }
  },
};

/**
 * Time for which a stream must be silent before that counts, in milliseconds: a server with comments sends them more
 * often.
 */
const longQuietMs = 60_000;

/** Judges a stream of changes that was listened to for some time, in milliseconds. */
export function ofQuiet(exchange: RawExchange, listenedMs: number): RuleVerdict {
  if (exchange.status !== 200 || !isEventStream(exchange)) return notApplicable('it opened no stream of changes');
  if (/^:/m.test(exchange.text)) return holds;
  if (exchange.end !== 'silent') return notApplicable('the stream was ended before');
  if (exchange.messages.length > 1) return notJudged('the stream was not quiet');
  const seconds = listenedMs / 1_000;
  return listenedMs < longQuietMs
    ? notJudged(
        `it was listened to for ${seconds} s alone, and a comment may come once a minute: --timeout 2500 or more`,
      )
    : breaks(exchange, `nothing came on it for ${seconds} s`);
}

const saysWhen: ProbeRule = {
  id: 'http-028',
  heavy: true,
  apart: true,
  message: 'A resumable GET stream sends retry before it closes',
  fix: 'send retry: and a number of milliseconds before you close it',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.fresh();
    try {
      const get = async (
        headers: Readonly<Record<string, string>>,
        waitTimeoutMs: number,
      ): Promise<RawExchange | undefined> =>
        await probeClient.fetch('GET', { headers, waitTimeoutMs, until: () => false });
      const stream = await get({}, lastingMs(harness));
      if (stream?.status !== 200 || !isEventStream(stream)) return notApplicable('it opens no stream by GET');
      if (stream.end !== 'complete') return notApplicable('it was not closed');
      const from = eventIds(stream).at(-1);
      if (from === undefined) return notApplicable('its events have no ids, by which it could go on');
      const again = await get({ 'Last-Event-ID': from }, harness.waitTimeoutMs);
      // A finished stream need not be resumed.
      if (again?.status !== 200 || !isEventStream(again)) return notApplicable('it does not go on after it was closed');
      return unless(!/^retry: ?\d+\r?$/m.test(stream.text), stream, 'it was closed without one');
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Rules about them. */
export const lastingRules: readonly ProbeRule[] = [keptAlive, saysWhen];
