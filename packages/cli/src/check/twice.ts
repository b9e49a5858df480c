import { monotonicNow } from '../../../parley/src/jsonrpc/timeout.ts';
import { listensWithin, restartMs } from './alive.ts';
import { excerptOf, type Harness } from './harness/harness.ts';
import { inFront } from './harness/exchange.ts';
import { isEventStream } from './harness/manner.ts';
import type { ProbeRule } from './rule.ts';
import {
  NotAllowed,
  NotApplicable,
  NotJudged,
  SessionLost,
  notApplicable,
  notJudged,
  type RuleVerdict,
} from './harness/verdict.ts';

/** Runs a rule; what is found broken is looked at once more, in new conversations: what does not come again was no fault of the server. */
export async function twice(harness: Harness, rule: ProbeRule): Promise<RuleVerdict> {
  const first = await once(harness, rule);
  if (isLate(harness, rule, first)) return await patiently(harness, rule);
  if (first.verdict !== 'breaks' || rule.lastly === true) return first;
  harness.forget();
  // Who restarts it may have been about to: it has to end once more.
  if (rule.mayEnd === true && !(await comesBack(harness))) return first;
  const second = await once(harness, rule);
  if (isLate(harness, rule, second)) return await patiently(harness, rule);
  return second.verdict === 'breaks' ? second : notJudged(`it was broken once (${first.why}), and not the next time`);
}

/** Waits for a server that may have ended, for as long as a restart takes. @returns Whether a conversation was opened. */
async function comesBack(harness: Harness): Promise<boolean> {
  const end = monotonicNow() + restartMs;
  for (;;) {
    if (harness.over !== 'stdio' && !(await listensWithin(harness.http.url, end - monotonicNow()))) return false;
    const probeClient = await harness.unopened();
    const isOpen = await probeClient.open();
    await harness.end(probeClient);
    if (isOpen || harness.over === 'stdio' || monotonicNow() >= end) return isOpen;
    await probeClient.rest(harness.quietMs);
  }
}

async function once(harness: Harness, rule: ProbeRule, isAgain = false): Promise<RuleVerdict> {
  if (rule.over !== undefined && rule.over !== harness.over) return notApplicable(`it is about ${rule.over}`);
  try {
    if (rule.needs !== undefined && (await harness.offer()).capabilities[rule.needs] === undefined)
      return notApplicable(`the server does not declare ${rule.needs}`);
    const again = async (): Promise<unknown> => {
      harness.forget();
      return await once(harness, rule);
    };
    const outcome = await harness.suspects.during({ ...rule, again }, () => rule.probe(harness));
    // A connection that breaks is no answer of something else where the server may have ended.
    const isEnd = rule.mayEnd === true && outcome.verdict === 'breaks' && outcome.exchange.status === undefined;
    if (outcome.verdict !== 'breaks' || isEnd) return outcome;
    // Nobody knows how it goes on: it may be right, and long.
    const { exchange } = outcome;
    const unread = exchange.end === 'limit' && exchange.messages.length === 0 ? excerptOf(exchange) : undefined;
    const front = inFront(exchange) ?? unread;
    return front === undefined ? outcome : notJudged(front);
  } catch (error) {
    if (error instanceof NotApplicable) return notApplicable(error.message);
    if (error instanceof NotAllowed) return { verdict: 'not-allowed', why: error.message };
    if (error instanceof SessionLost && !isAgain) return await once(harness, rule, true);
    if (error instanceof NotJudged) return notJudged(error.message);
    throw error;
  }
}

/** Answers that a slow server may have to give before the one that is waited for: as many are asked for side by side. */
const maxBefore = 8;

/** Longest wait for an answer of a slow server, in milliseconds. */
const maxMs = 60_000;

/** Tells whether what is found is the silence of a server that is slow, which may be no answer of its. */
function isLate({ slowMs, waitTimeoutMs }: Harness, { mayEnd }: ProbeRule, outcome: RuleVerdict): boolean {
  if (outcome.verdict !== 'breaks' || mayEnd === true || maxBefore * slowMs <= waitTimeoutMs) return false;
  const { end, status, messages } = outcome.exchange;
  // The head of a stream comes before its answer.
  return end === 'silent' && (status === undefined || isEventStream(outcome.exchange)) && messages.length === 0;
}

/** Looks once more, and waits for twice the time that a slow server may need. */
async function patiently(harness: Harness, rule: ProbeRule): Promise<RuleVerdict> {
  const { slowMs, waitTimeoutMs } = harness;
  const neededMs = Math.ceil(2 * maxBefore * slowMs);
  if (neededMs <= maxMs) {
    harness.forget();
    return await once(harness.sibling(neededMs), rule);
  }
  const took = `it was not answered in ${waitTimeoutMs / 1_000} s, and each answer takes ${(slowMs / 1_000).toFixed(1)} s`;
  return { verdict: 'not-judged', why: `${took}: --timeout ${neededMs} waits long enough`, neededMs };
}
