import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import type { Bench } from '../bench/bench.ts';
import { callMs, sendCall, type MadeCall } from '../bench/calls.ts';
import { responseIn, type Exchanged } from '../bench/exchange.ts';
import type { ProbeRule, WatchRule } from '../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../verdict.ts';

/** Rules about calls while they run: progress and cancellation. */

/** Time that a call must take for one to cancel it, in milliseconds. */
const slowMs = 1_500;

/** Judges what came of each round of each call; `false` is said of one that says nothing of it. */
async function eachRound(
  bench: Bench,
  judge: (exchange: Exchanged) => string | undefined | false,
): Promise<RuleVerdict> {
  let judged = 0;
  const all: readonly MadeCall[] = [...(await bench.made('mute')), ...(await bench.made('obliging'))];
  for (const { of, rounds } of all)
    for (const round of rounds) {
      const found = judge(round);
      if (found === false) continue;
      judged++;
      if (found !== undefined) return breaks(round, `${of.name}: ${found}`, `tools/${of.name}`);
    }
  return judged > 0 ? holds : notApplicable('no tool that was called tells of progress');
}

/** Progress in what came, with the place of each. */
function progressIn({ messages }: Exchanged): readonly { readonly at: number; readonly value: unknown }[] {
  return messages.flat().flatMap((message, at) => {
    const isProgress = isObject(message) && message['method'] === 'notifications/progress';
    return isProgress && isObject(message['params']) ? [{ at, value: message['params']['progress'] }] : [];
  });
}

const rises: ProbeRule = {
  id: 'progress-003',
  words: 'The progress of a request rises with each notification',
  mend: 'send a notification only when there is more, whether or not a total is known',
  needs: 'tools',
  probe: (bench) =>
    eachRound(bench, (exchange) => {
      const values = progressIn(exchange).map(({ value }) => value);
      if (values.length < 2) return false;
      const wrong = values.findIndex((value, at) => at > 0 && !(Number(value) > Number(values[at - 1])));
      return wrong < 0 ? undefined : `after ${String(values[wrong - 1])} came ${String(values[wrong])}`;
    }),
};

/** Cancels a call that takes long, and gives what came of it after that. */
async function onCancelled(
  bench: Bench,
  judge: (exchange: Exchanged, id: unknown) => Promise<RuleVerdict>,
): Promise<RuleVerdict> {
  const isNotified = bench.over !== 'http' || bench.revision.httpCancellation === 'notification';
  if (!isNotified) return notApplicable('a call is cancelled by closing its stream, and nothing of it is heard then');
  const slow = (await bench.made('obliging')).find(({ tookMs, rounds }) => tookMs > slowMs && rounds.length === 1);
  if (slow === undefined) return notApplicable(`no tool that was called takes longer than ${slowMs / 1_000} s`);
  return await bench.asked(async (speaker) => {
    const id = speaker.newId();
    let isCancelled = false;
    // It is answered before that only where it does not take long this time.
    const cancel = after(
      slowMs / 5,
      () => {
        isCancelled = true;
        void speaker
          .say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'parley check' } })
          .catch(() => undefined);
      },
      true,
    );
    const exchange = await sendCall(speaker, slow.of, { id, waitMs: Math.min(2 * slow.tookMs, callMs) });
    cancel();
    if (!isCancelled) return notJudged('it was answered before it could be cancelled');
    return await judge(exchange, id);
  });
}

const silent: ProbeRule = {
  id: 'cancel-005',
  words: 'A call that was cancelled ends, and is not answered',
  mend: 'stop the work, and send no response',
  needs: 'tools',
  probe: (bench) =>
    onCancelled(bench, async (exchange, id) => {
      const response = responseIn(exchange, id);
      return unless(
        response !== undefined,
        exchange,
        `it was answered with ${JSON.stringify(response)?.slice(0, 100)}`,
      );
    }),
};

const copes: ProbeRule = {
  id: 'cancel-007',
  words: 'A server of which a call was cancelled serves on',
  mend: 'let a cancellation and an answer cross on the wire',
  needs: 'tools',
  probe: (bench) =>
    onCancelled(bench, async (exchange) => {
      return unless(!(await bench.serves(await bench.shared())), exchange, 'after it the server did not serve');
    }),
};

const ownCancellations: WatchRule = {
  id: 'cancel-015',
  words: 'A server cancels nothing but streams of changes',
  mend: 'send notifications/cancelled for subscriptions/listen alone',
  watch({ message: { method }, sent }) {
    if (method !== 'notifications/cancelled') return 'not-seen';
    return sent?.['method'] === 'subscriptions/listen'
      ? 'holds'
      : { breaks: `it cancelled ${String(sent?.['method'])}` };
  },
};

/** Rules about calls that run. */
export const runningRules: readonly (ProbeRule | WatchRule)[] = [rises, silent, copes, ownCancellations];
