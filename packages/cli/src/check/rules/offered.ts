import { isObject, isResponse } from '../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../harness/harness.ts';
import { entryText } from '../harness/offer.ts';
import type { RequestExchange } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../harness/verdict.ts';
import { refusedWith } from './common/refusals.ts';

/** Rules about completion, about resources that are watched, and about several streams of changes. */

/** A listed prompt and the first of its arguments. */
async function completable(
  harness: Harness,
): Promise<{ readonly name: string; readonly argument: string } | undefined> {
  const { prompts } = await harness.offer();
  for (const prompt of prompts) {
    const { arguments: parts } = prompt;
    const first: unknown = Array.isArray(parts) ? parts[0] : undefined;
    const [name, argument] = [entryText(prompt, 'name'), isObject(first) ? entryText(first, 'name') : undefined];
    if (name !== undefined && argument !== undefined) return { name, argument };
  }
  return undefined;
}

/** Completes the first argument of a listed prompt. */
async function completed(
  harness: Harness,
  judge: (answer: RequestExchange, isDeclared: boolean, isKnown: boolean) => RuleVerdict,
): Promise<RuleVerdict> {
  const found = await completable(harness);
  if (found === undefined) return notApplicable('no prompt has arguments');
  const { capabilities } = await harness.offer();
  const probeClient = await harness.shared();
  const { name, argument } = found;
  const params = { ref: { type: 'ref/prompt', name }, argument: { name: argument, value: '' } };
  const isKnown = isObject(probeClient.opening?.result?.['capabilities']);
  return judge(
    await probeClient.request('completion/complete', params),
    isObject(capabilities['completions']),
    isKnown,
  );
}

/** Values of a completion. */
function valuesOf({ result }: RequestExchange): readonly unknown[] | undefined {
  const completion = isObject(result?.['completion']) ? result['completion'] : undefined;
  const values = completion?.['values'];
  return Array.isArray(values) ? values : undefined;
}

const declaresCompletions: ProbeRule = {
  id: 'compl-001',
  message: 'A server that completes arguments declares completions',
  fix: 'declare the capability completions',
  probe: (harness) =>
    completed(harness, (answer, isDeclared, isKnown) => {
      if (isDeclared) return holds;
      if (!isKnown) return notJudged('what it declares is not known: see versioning-003');
      const count = valuesOf(answer)?.length ?? 0;
      return unless(count > 0, answer, `it gives ${count} values, and completions is not declared`);
    }),
};

const fewCompletions: ProbeRule = {
  id: 'compl-002',
  message: 'A completion has at most 100 values',
  fix: 'send the first 100, with total and hasMore',
  probe: (harness) =>
    completed(harness, (answer) => {
      const values = valuesOf(answer);
      if (values === undefined) return notJudged('there was no completion');
      return unless(values.length > 100, answer, `it has ${values.length}`);
    }),
};

/** Watches the first listed resource, in the conversation that probes share. */
async function watched(
  harness: Harness,
  judge: (ask: (method: string) => Promise<RequestExchange>) => Promise<RuleVerdict>,
): Promise<RuleVerdict> {
  const { capabilities, resources } = await harness.offer();
  const declared = capabilities['resources'];
  if (!isObject(declared) || declared['subscribe'] !== true)
    return notApplicable('it does not declare resources.subscribe');
  const uri = entryText(resources[0], 'uri');
  if (uri === undefined) return notApplicable('it lists no resource');
  // A process for this alone would be one of many; what is watched is let go again.
  const probeClient = await harness.shared();
  await harness.ready(probeClient);
  return await judge((method) => probeClient.request(method, { uri }));
}

const watches: ProbeRule = {
  id: 'resources-005',
  message: 'A server that declares resources.subscribe answers resources/subscribe',
  fix: 'answer with an empty result',
  needs: 'resources',
  probe: (harness) =>
    watched(harness, async (ask) => {
      const answer = await ask('resources/subscribe');
      await ask('resources/unsubscribe');
      return unless(answer.result === undefined, answer, 'it got no result');
    }),
};

const watchesNoMore: ProbeRule = {
  id: 'resources-006',
  message: 'A server that declares resources.subscribe answers resources/unsubscribe',
  fix: 'answer with an empty result',
  needs: 'resources',
  probe: (harness) =>
    watched(harness, async (ask) => {
      if ((await ask('resources/subscribe')).result === undefined)
        return notJudged('it was not subscribed: see resources-005');
      const answer = await ask('resources/unsubscribe');
      return unless(answer.result === undefined, answer, 'it got no result');
    }),
};

const watchedByListening: ProbeRule = {
  id: 'resources-007',
  message: 'resources/subscribe no longer exists: -32601',
  fix: 'answer -32601, method not found; changes are sent on subscriptions/listen',
  // Over HTTP the refusal has a status too, of which there is a row.
  over: 'stdio',
  needs: 'resources',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    return refusedWith(await probeClient.request('resources/subscribe', { uri: 'parley-check://none' }), {
      code: -32601,
    });
  },
};

/** The lists whose changes are declared. */
async function changing(harness: Harness): Promise<readonly string[]> {
  const { capabilities } = await harness.offer();
  return ['tools', 'prompts', 'resources'].filter((name) => {
    const declared = capabilities[name];
    return isObject(declared) && declared['listChanged'] === true;
  });
}

/** The filter that an acknowledgement says. */
function honoured({ messages: [first] }: RequestExchange): Readonly<Record<string, unknown>> | undefined {
  return filterIn(first);
}

/** The filter of a message, where it is an acknowledgement. */
function filterIn(message: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(message) || message['method'] !== 'notifications/subscriptions/acknowledged') return undefined;
  const params = isObject(message['params']) ? message['params'] : {};
  return isObject(params['notifications']) ? params['notifications'] : undefined;
}

const isHeard = (messages: readonly unknown[]): boolean => messages.length > 0;

const subset: ProbeRule = {
  id: 'subs-004',
  apart: true,
  message: 'The acknowledgement of a stream has only requested subscriptions',
  fix: 'repeat that part of the filter which is honoured',
  async probe(harness) {
    const [wanted, ...others] = await changing(harness);
    if (wanted === undefined) return notApplicable('it declares no changes of lists');
    const probeClient = await harness.fresh();
    try {
      const field = `${wanted}ListChanged`;
      const answer = await probeClient.request(
        'subscriptions/listen',
        // That something is not wanted may be said, too.
        {
          notifications: { [field]: true, ...Object.fromEntries(others.map((name) => [`${name}ListChanged`, false])) },
        },
        { until: isHeard },
      );
      const filter = honoured(answer);
      if (filter === undefined) return notJudged('there was no acknowledgement: see subs-002');
      const more = Object.entries(filter).find(([key, value]) => key !== field && value !== false && !isEmpty(value));
      return unless(more !== undefined, answer, `it says ${more?.[0] ?? ''}, and ${field} alone was asked for`);
    } finally {
      await harness.end(probeClient);
    }
  },
};

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Tells whether a stream of changes was ended by the server while it was listened to. */
function isOver({ end, response }: RequestExchange): boolean {
  return end === 'complete' || end === 'gone' || response !== undefined;
}

const several: ProbeRule = {
  id: 'subs-008',
  apart: true,
  message: 'A client may open several subscription streams',
  fix: 'open a stream for each request that asks for one',
  async probe(harness) {
    const [wanted] = await changing(harness);
    if (wanted === undefined) return notApplicable('it declares no changes of lists');
    const probeClient = await harness.fresh();
    const notifications = { [`${wanted}ListChanged`]: true };
    try {
      // The first is still open when the second is asked for.
      const waitTimeoutMs = 3 * harness.quietMs;
      const first = probeClient.request(
        'subscriptions/listen',
        { notifications },
        { id: 'listen-1', waitTimeoutMs, until: () => false },
      );
      first.catch(() => undefined);
      await probeClient.rest(harness.quietMs);
      const second = await probeClient.request(
        'subscriptions/listen',
        { notifications },
        { id: 'listen-2', until: (messages) => messages.some((one) => filterIn(one) !== undefined || isResponse(one)) },
      );
      const before = await first;
      if (honoured(before) === undefined) return notJudged('the first was not acknowledged: see subs-002');
      if (second.messages.every((one) => filterIn(one) === undefined))
        return breaks(second, 'the second was not acknowledged');
      if (!isOver(before)) return holds;
      // What other rules open meanwhile may end one too.
      for (let tries = 3; tries > 0; tries--) {
        const conventions = { waitTimeoutMs, until: () => false };
        const alone = await probeClient.request('subscriptions/listen', { notifications }, conventions);
        if (!isOver(alone)) return breaks(before, 'it ended when another one was opened');
      }
      return notJudged('a stream by itself ended soon too');
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Rules about what servers offer, beyond lists. */
export const offeredRules: readonly ProbeRule[] = [
  declaresCompletions,
  fewCompletions,
  watches,
  watchesNoMore,
  watchedByListening,
  subset,
  several,
];
