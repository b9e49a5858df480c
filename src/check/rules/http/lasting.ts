import type { Exchanged } from '../../bench/exchange.ts';
import type { Bench } from '../../bench/bench.ts';
import { isEventStream } from '../../bench/manner.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless } from '../../verdict.ts';
import { eventIds } from './streams.ts';

/** Rules about streams that last for minutes, which are waited for where that is wished. */

/** Time for which a stream is listened to, in milliseconds, two minutes unless `--timeout` says otherwise: what stands before a server often ends one that is quiet for one minute. */
function lastingMs(bench: Bench): number {
  return 24 * bench.waitMs;
}

const keptAlive: ProbeRule = {
  id: 'http-059',
  heavy: true,
  apart: true,
  words: 'A stream of changes that is quiet has a comment now and then',
  mend: 'write a line such as ":" to streams that are quiet, more often than once a minute',
  over: 'http',
  async probe(bench) {
    const { capabilities } = await bench.offer();
    const lists = ['tools', 'prompts', 'resources'].filter((name) => capabilities[name] !== undefined);
    if (lists.length === 0) return notApplicable('it lists nothing that could change');
    const speaker = await bench.fresh();
    try {
      const notifications = Object.fromEntries(lists.map((name) => [`${name}ListChanged`, true]));
      const waitMs = lastingMs(bench);
      const exchange = await speaker.request('subscriptions/listen', { notifications }, { waitMs, until: () => false });
      if (exchange.status !== 200 || !isEventStream(exchange)) return notApplicable('it opened no stream of changes');
      if (exchange.end !== 'silent') return notApplicable('the stream was ended before');
      if (/^:/m.test(exchange.text)) return holds;
      return exchange.messages.length > 1
        ? notJudged('the stream was not quiet')
        : breaks(exchange, `nothing came on it for ${waitMs / 1_000} s`);
    } finally {
      await bench.end(speaker);
    }
  },
};

const saysWhen: ProbeRule = {
  id: 'http-028',
  heavy: true,
  apart: true,
  words: 'A stream of GET that is closed, and goes on for whoever comes back, says by retry when to do that',
  mend: 'send retry: and a number of milliseconds before you close it',
  over: 'http',
  async probe(bench) {
    const speaker = await bench.fresh();
    try {
      const get = async (headers: Readonly<Record<string, string>>, waitMs: number): Promise<Exchanged | undefined> =>
        await speaker.fetch('GET', { headers, waitMs, until: () => false });
      const stream = await get({}, lastingMs(bench));
      if (stream?.status !== 200 || !isEventStream(stream)) return notApplicable('it opens no stream by GET');
      if (stream.end !== 'complete') return notApplicable('it was not closed');
      const from = eventIds(stream).at(-1);
      if (from === undefined) return notApplicable('its events have no ids, by which it could go on');
      const again = await get({ 'Last-Event-ID': from }, bench.waitMs);
      // One that has come to its end has nobody come back.
      if (again?.status !== 200 || !isEventStream(again)) return notApplicable('it does not go on after it was closed');
      return unless(!/^retry: ?\d+\r?$/m.test(stream.text), stream, 'it was closed without one');
    } finally {
      await bench.end(speaker);
    }
  },
};

/** Rules about them. */
export const lastingRules: readonly ProbeRule[] = [keptAlive, saysWhen];
