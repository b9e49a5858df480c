import { isObject, isResponse } from '../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../parley/src/protocol/meta.ts';
import type { Harness } from '../harness/harness.ts';
import { type RawExchange } from '../harness/exchange.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../harness/verdict.ts';
import { wholeText } from '../whole-text.ts';
import { changeStream } from './changes.ts';

/** Rules about streams that a client opens to hear of changes. */

const listenId = 'parley-check-listen';

/**
 * Opens a stream, and judges what it begins with.
 *
 * @param nothing Judges one on which nothing comes; what other rules say of that follows from `subs-002`.
 */
async function onListen(
  harness: Harness,
  judge: (first: Readonly<Record<string, unknown>>, exchange: RawExchange) => RuleVerdict,
  nothing: (exchange: RawExchange, why: string) => RuleVerdict = (_, why) => notJudged(`${why}: see subs-002`),
): Promise<RuleVerdict> {
  const { capabilities } = await harness.offer();
  const wanted = (['tools', 'prompts', 'resources'] as const).filter((name) => {
    const declared = capabilities[name];
    return isObject(declared) && declared['listChanged'] === true;
  });
  if (wanted.length === 0) return notApplicable('it declares no changes of lists');
  const exchange = await harness.kept('a stream of changes', async () => {
    const probeClient = await harness.fresh();
    try {
      return await probeClient.request(
        'subscriptions/listen',
        { notifications: Object.fromEntries(wanted.map((name) => [`${name}ListChanged`, true])) },
        // What comes before the acknowledgement is no end of the wait for it.
        { id: listenId, until: (messages) => messages.length > maxBefore || messages.some(isDecisive) },
      );
    } finally {
      await harness.end(probeClient);
    }
  });
  const [first] = exchange.messages;
  if (!isObject(first)) {
    // What stands before a server may hold a stream back until it ends, and its head too.
    const isHeld = harness.over === 'http' && exchange.status === undefined;
    return isHeld ? notJudged('no response came in time') : nothing(exchange, 'nothing came on the stream');
  }
  if (isResponse(first))
    return 'error' in first
      ? notJudged('subscriptions/listen was refused')
      : nothing(exchange, 'the stream ended at once');
  return judge(first, exchange);
}

/** Most messages before an acknowledgement that is waited for. */
const maxBefore = 20;

const acknowledgement = 'notifications/subscriptions/acknowledged';

function isDecisive(message: unknown): boolean {
  return isResponse(message) || (isObject(message) && message['method'] === acknowledgement);
}

function idOf(message: Readonly<Record<string, unknown>>): unknown {
  const params = message['params'];
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta[metaKey.subscriptionId] : undefined;
}

const acknowledged: ProbeRule = {
  id: 'subs-002',
  apart: true,
  message: 'A subscription stream begins with notifications/subscriptions/acknowledged',
  fix: 'send it first, with the part of the filter that is honoured',
  probe: (harness) =>
    onListen(
      harness,
      (first, exchange) => {
        if (first['method'] === acknowledgement) return holds;
        if (exchange.messages.some((one) => isObject(one) && one['method'] === acknowledgement))
          return notJudged('it came later: see subs-003');
        return breaks(exchange, `it begins with ${wholeText(first['method'])}, and none came`);
      },
      breaks,
    ),
};

const nothingBefore: ProbeRule = {
  id: 'subs-003',
  apart: true,
  message: 'A subscription stream has no message before its acknowledgement',
  fix: 'send notifications/subscriptions/acknowledged before any other notification of the stream',
  probe: (harness) =>
    onListen(harness, (_, exchange) => {
      const at = exchange.messages.findIndex((one) => isObject(one) && one['method'] === acknowledgement);
      if (at < 0) return notJudged('there is none: see subs-002');
      // Lines are one stream for all: what says nothing of the subscription may be of something else.
      const isOfStream = (one: unknown): boolean =>
        isObject(one) && typeof one['method'] === 'string' && (harness.over === 'http' || idOf(one) === listenId);
      const early = exchange.messages.slice(0, at).find(isOfStream);
      return unless(
        early !== undefined,
        exchange,
        `${isObject(early) ? wholeText(early['method']) : ''} came before it`,
      );
    }),
};

/** Judges the notifications of the stream that was open while tools were called, once its first one was found right. */
async function onChanges(
  harness: Harness,
  first: RuleVerdict,
  fault: (subscription: unknown, id: unknown) => string | undefined,
): Promise<RuleVerdict> {
  if (first.verdict !== 'holds') return first;
  const stream = await changeStream(harness);
  for (const message of stream?.exchange.messages.flat() ?? []) {
    if (!isObject(message) || !changes.test(wholeText(message['method']))) continue;
    const why = fault(idOf(message), stream?.id);
    if (why !== undefined && stream !== undefined)
      return breaks(stream.exchange, `${wholeText(message['method'])}: ${why}`);
  }
  return first;
}

/** Notifications of streams of changes: what others are about has rows of its own. */
const changes = /^notifications\/(?:subscriptions\/|(?:tools|prompts|resources)\/(?:list_changed|updated)$)/;

const tagged: ProbeRule = {
  id: 'subs-006',
  message: 'The subscriptionId on a stream is the id of the request that opened it',
  fix: 'put the id of the listen request into _meta of each notification, in its type',
  async probe(harness) {
    const first = await onListen(harness, (message, exchange) => {
      const id = idOf(message);
      return id === undefined
        ? notJudged('there is none: see meta-019')
        : unless(id !== listenId, exchange, `it is ${JSON.stringify(id)}`);
    });
    return await onChanges(harness, first, (subscription, id) =>
      subscription === undefined || subscription === id
        ? undefined
        : `it is ${JSON.stringify(subscription)}, and that of the request ${JSON.stringify(id)}`,
    );
  },
};

const everyTagged: ProbeRule = {
  id: 'meta-019',
  message: 'Every notification on the stream has its subscriptionId in _meta',
  fix: 'add "io.modelcontextprotocol/subscriptionId" to _meta',
  async probe(harness) {
    const first = await onListen(harness, (message, exchange) =>
      idOf(message) === undefined ? breaks(exchange, 'it does not') : holds,
    );
    return await onChanges(harness, first, (subscription) => (subscription === undefined ? 'it does not' : undefined));
  },
};

/** Rules about subscriptions. */
export const subscriptionRules: readonly ProbeRule[] = [acknowledged, nothingBefore, tagged, everyTagged];
