import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { Harness } from '../harness/harness.ts';
import { callMs, sendCall, type MadeCall } from '../harness/calls.ts';
import { answers, responseIn, type RawExchange } from '../harness/exchange.ts';
import type { ProbeRule, WatchRule } from '../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../harness/verdict.ts';
import { wholeText } from '../whole-text.ts';

/** Rules about calls while they run: progress and cancellation. */

/** Time that a call must take for one to cancel it, in milliseconds. */
const slowMs = 1_500;

/** Judges what came of each round of each call; `false` is said of one that says nothing of it. */
async function eachRound(
  harness: Harness,
  judge: (exchange: RawExchange) => string | undefined | false,
): Promise<RuleVerdict> {
  let judged = 0;
  const all: readonly MadeCall[] = [...(await harness.made('mute')), ...(await harness.made('obliging'))];
  for (const { of, rounds } of all)
    for (const round of rounds) {
      const found = judge(round);
      if (found === false) continue;
      judged++;
      if (found !== undefined) return breaks(round, `${of.name}: ${found}`, `tools/${of.name}`);
    }
  return judged > 0 ? holds : notApplicable('no called tool reports progress');
}

/** Progress in what came, by the token of its request: what is told late of another one has a place of its own. */
function progressIn({ messages }: Pick<RawExchange, 'messages'>): ReadonlyMap<unknown, readonly unknown[]> {
  const found = new Map<unknown, unknown[]>();
  for (const message of messages.flat()) {
    if (!isObject(message) || message['method'] !== 'notifications/progress' || !isObject(message['params'])) continue;
    const { progressToken, progress } = message['params'];
    const values = found.get(progressToken) ?? [];
    values.push(progress);
    found.set(progressToken, values);
  }
  return found;
}

const rises: ProbeRule = {
  id: 'progress-003',
  message: 'The progress of a request increases with each notification',
  fix: 'send a notification only when there is more, whether or not a total is known',
  needs: 'tools',
  probe: (harness) =>
    eachRound(harness, (exchange) => {
      const several = [...progressIn(exchange).values()].filter(({ length }) => length > 1);
      for (const values of several) {
        const wrong = values.findIndex((value, at) => at > 0 && !(Number(value) > Number(values[at - 1])));
        if (wrong >= 0) return `after ${wholeText(values[wrong - 1])} came ${wholeText(values[wrong])}`;
      }
      return several.length === 0 ? false : undefined;
    }),
};

const stops: ProbeRule = {
  id: 'progress-006',
  message: 'No progress is sent after the response',
  fix: 'send nothing more when the response has gone out',
  needs: 'tools',
  async probe(harness) {
    let judged = 0;
    for (const { of, rounds, tookMs } of await harness.made('obliging')) {
      const [only] = rounds;
      if (only === undefined || rounds.length > 1 || progressIn(only).size === 0 || tookMs > maxAgainMs) continue;
      const token = 'parley-check-late';
      const exchange = await harness.asked((probeClient) =>
        sendCall(probeClient, of, {
          meta: { progressToken: token },
          // It is listened on when the answer came.
          until: () => false,
          waitTimeoutMs: 2 * tookMs + 4 * harness.quietMs,
        }),
      );
      const messages = exchange.messages.flat();
      const answered = messages.findIndex((one) => isObject(one) && 'result' in one);
      if (answered < 0) continue;
      judged++;
      const late = progressIn({ messages: messages.slice(answered) }).has(token);
      if (late) return breaks(exchange, `${of.name}: some came after the answer`, `tools/${of.name}`);
    }
    return judged > 0 ? holds : notApplicable('no called tool reports progress and ends soon');
  },
};

/** Longest time that a call may take to be made once more for what comes after it, in milliseconds. */
const maxAgainMs = 5_000;

/** A call that was cancelled, and what came of it. */
interface Cancelled {
  readonly exchange: RawExchange;
  readonly id: unknown;
  /** Number of messages about it that came after the cancellation. */
  readonly later: number;
  readonly serves: boolean;
}

/** Has what came of a call that takes long judged, once it was cancelled. It is made once for all rules. */
async function onCancelled(harness: Harness, judge: (cancelled: Cancelled) => RuleVerdict): Promise<RuleVerdict> {
  const isNotified = harness.over !== 'http' || harness.revision.httpCancellation === 'notification';
  if (!isNotified)
    return notApplicable('a call is cancelled by closing its stream, and no more of its messages arrive');
  const made = (await harness.made('obliging')).filter(({ tookMs, rounds }) => tookMs > slowMs && rounds.length === 1);
  // What any answer takes is no time of the tool, in which it could be cancelled.
  const answerMs = made.length === 0 ? 0 : await harness.kept('time of an answer', () => answerTimeOf(harness));
  const slow = made.find(({ tookMs }) => tookMs - answerMs > slowMs);
  if (slow === undefined) return notApplicable(`no tool that was called takes longer than ${slowMs / 1_000} s`);
  const cancelled = await harness.kept('a cancelled call', () => cancel(harness, slow));
  return cancelled === undefined ? notJudged('it was answered before it could be cancelled') : judge(cancelled);
}

/** Time that an answer takes for which nothing has to be done, in milliseconds. */
async function answerTimeOf(harness: Harness): Promise<number> {
  const probeClient = await harness.shared();
  const began = performance.now();
  await harness.works(probeClient, harness.harmless);
  return performance.now() - began;
}

/** Calls a tool and cancels that; `undefined` where it was answered before. */
async function cancel(harness: Harness, { of, tookMs }: MadeCall): Promise<Cancelled | undefined> {
  return await harness.asked(async (probeClient) => {
    const id = probeClient.newId();
    let [isCancelled, heard, before] = [false, 0, 0];
    // It is answered before that only where it does not take long this time.
    const stop = after(
      slowMs / 5,
      () => {
        isCancelled = true;
        // What crosses it on the wire is no answer to it.
        void probeClient
          .say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'parley check' } })
          .then(() => probeClient.rest(harness.quietMs))
          .then(() => void (before = heard))
          .catch(() => undefined);
      },
      true,
    );
    const exchange = await sendCall(probeClient, of, {
      id,
      meta: { progressToken: cancelledToken },
      waitTimeoutMs: Math.min(2 * tookMs, callMs),
      until(messages) {
        heard = messages.flat().filter(isAboutCall).length;
        return messages.flat().some((one) => answers(one, id));
      },
    });
    stop();
    if (!isCancelled) return undefined;
    // Over stdio each conversation has a process of its own.
    const serves = await harness.serves(probeClient);
    return { exchange, id, later: heard - before, serves };
  });
}

/** Tells whether a message belongs to the cancelled call: a server may say other things at any time. */
function isAboutCall(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { method, params } = message;
  if (method === 'notifications/progress') return isObject(params) && params['progressToken'] === cancelledToken;
  return method === 'elicitation/create' || method === 'sampling/createMessage';
}

const cancelledToken = 'parley-check-cancelled';

const silent: ProbeRule = {
  id: 'cancel-005',
  message: 'A cancelled call ends without a response',
  fix: 'stop the work, and send no response',
  needs: 'tools',
  probe: (harness) =>
    onCancelled(harness, ({ exchange, id }) => {
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
  message: 'The server keeps serving after a cancelled call',
  fix: 'let a cancellation and an answer cross on the wire',
  needs: 'tools',
  probe: (harness) =>
    onCancelled(harness, ({ exchange, serves }) => unless(!serves, exchange, 'after it the server did not serve')),
};

const saysNoMore: ProbeRule = {
  id: 'stdio-011',
  message: 'The server sends nothing more about a cancelled call',
  fix: 'stop the work, and send no notification for it',
  over: 'stdio',
  needs: 'tools',
  probe: (harness) =>
    onCancelled(harness, ({ exchange, id, later }) => {
      if (responseIn(exchange, id) !== undefined) return notJudged('it was answered: see cancel-005');
      return unless(later > 0, exchange, `${later} notifications came some time after the cancellation`);
    }),
};

const ownCancellations: WatchRule = {
  id: 'cancel-015',
  message: 'A server cancels only subscription streams',
  fix: 'send notifications/cancelled for subscriptions/listen alone',
  watch({ message: { method, params }, sent, exchange }) {
    if (method !== 'notifications/cancelled') return 'not-seen';
    // Lines are one stream for all: it may be that of an earlier request.
    const isOther = exchange.status === undefined && (!isObject(params) || params['requestId'] !== sent?.['id']);
    if (isOther) return 'not-seen';
    return sent?.['method'] === 'subscriptions/listen'
      ? 'holds'
      : { breaks: `it cancelled ${wholeText(sent?.['method'])}` };
  },
};

const cancelsItsOwn: WatchRule = {
  id: 'cancel-001',
  message: 'A cancellation from the server names a request that the server sent',
  fix: 'send notifications/cancelled with the id of a request of your own: a call is ended by answering it',
  watch({ message: { method, params }, asked, exchange }) {
    // Without an id it has a row of its own.
    const id = method === 'notifications/cancelled' && isObject(params) ? params['requestId'] : undefined;
    if (id === undefined || id === null || asked === undefined) return 'not-seen';
    if (asked.has(id)) return 'holds';
    // Over Streamable HTTP it may have asked while no stream was open, which nobody heard.
    if (exchange.status !== undefined) return 'not-seen';
    return { breaks: `it asked nothing with the id ${JSON.stringify(id)}` };
  },
};

/** Rules about calls that run. */
export const runningRules: readonly (ProbeRule | WatchRule)[] = [
  rises,
  stops,
  silent,
  copes,
  saysNoMore,
  ownCancellations,
  cancelsItsOwn,
];
