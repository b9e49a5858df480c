/** Rules about changes of what a server has, which tools bring that are called where that is allowed. */

import type { ListKind } from '../../../../parley/src/protocol/features/subscriptions.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { excerptOf, obliging, type Harness } from '../harness/harness.ts';
import { makeCall } from '../harness/calls.ts';
import { turnedAway, type RawExchange } from '../harness/exchange.ts';
import { entryText, listOffer, type ServerOffer } from '../harness/offer.ts';
import type { RequestExchange, Conventions, ProbeClient } from '../harness/probe-client.ts';
import { rowOf } from '../register.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, NotJudged, notApplicable, notJudged, type RuleVerdict } from '../harness/verdict.ts';

const kinds: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** Observations of a server whose tools were called during a subscription. */
interface Watched {
  /** The lists, and texts of resources, before and after the calls. */
  readonly before: Standing;
  readonly after: Standing;
  /** Notifications that came in the meantime. */
  readonly heard: readonly Readonly<Record<string, unknown>>[];
  /** The answer that shows the change. */
  readonly shown: RawExchange;
  /** Reason why a notification may have been missed. */
  readonly deaf: string | undefined;
  /** The stream that was listened to, where it has a response of its own, and the id of the request that opened it. */
  readonly stream: ChangeStream | undefined;
}

/** A received stream of changes. */
export interface ChangeStream {
  readonly id: unknown;
  readonly exchange: RawExchange;
}

/** The stream that was open while tools were called; `undefined` where none may be, and where there is none by itself. */
export async function changeStream(harness: Harness): Promise<ChangeStream | undefined> {
  if ((await harness.allowed()).every((one) => 'why' in one)) return undefined;
  return (await watched(harness)).stream;
}

interface Standing {
  readonly offer: ServerOffer;
  readonly texts: ReadonlyMap<string, string>;
}

/** Limits of the tools that are called, of the time that one may take, of the resources that are read, and of the time that is listened. */
const most = { tools: 5, tookMs: 5_000, resources: 3, listenMs: 120_000 };

/** Time in which a resource that changes by itself, such as a clock, has changed, in milliseconds. */
const tickMs = 1_100;

/** Calls each tool that may be called once, and listens to what changes. @throws NotJudged where none may be. */
async function watched(harness: Harness): Promise<Watched> {
  const made = (await harness.made('obliging')).filter(({ tookMs }) => tookMs < most.tookMs).slice(0, most.tools);
  return await harness.kept('changes', async () => {
    const probeClient = await harness.fresh(obliging);
    try {
      const came: RawExchange[] = [];
      const before = await standing(probeClient);
      const uris = [...before.texts.keys()];
      probeClient.hear((exchange) => void came.push(exchange));
      const listening = await listen(harness, probeClient, uris);
      for (const { of } of made) {
        await makeCall(probeClient, of);
        // A slightly later notification belongs to this call.
        await probeClient.request(harness.harmless, undefined, { waitTimeoutMs: harness.quietMs, until: () => false });
      }
      const after = await standing(probeClient, uris);
      const shown = await probeClient.request(harness.harmless, undefined, {
        waitTimeoutMs: 3 * harness.quietMs,
        until: () => false,
      });
      const { deaf, stream } = await listening.end();
      return {
        before,
        after: await steady(probeClient, before, after),
        heard: notificationsIn(came),
        shown,
        deaf,
        stream,
      };
    } finally {
      probeClient.hear(undefined);
      await harness.end(probeClient);
    }
  });
}

async function standing(probeClient: ProbeClient, wanted?: readonly string[]): Promise<Standing> {
  const offer = await listOffer(probeClient);
  const failed = offer.walks.find(({ last }) => last.result === undefined);
  // A list of which nothing came may be as it was.
  if (failed !== undefined) throw new NotJudged(`${failed.method} gave no result: ${excerptOf(failed.last)}`);
  const listed = offer.resources.flatMap((one) => entryText(one, 'uri') ?? []).slice(0, most.resources);
  return { offer, texts: await textsOf(probeClient, wanted ?? listed) };
}

async function textsOf(probeClient: ProbeClient, uris: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const uri of uris) {
    const { result } = await probeClient.request('resources/read', { uri });
    if (result !== undefined) texts.set(uri, JSON.stringify(result['contents']));
  }
  return texts;
}

/** The state after the calls, without texts that change by themselves. */
async function steady(probeClient: ProbeClient, before: Standing, after: Standing): Promise<Standing> {
  const changed = [...after.texts].filter(([uri, text]) => before.texts.get(uri) !== text);
  if (changed.length === 0) return after;
  await probeClient.rest(tickMs);
  const later = await textsOf(
    probeClient,
    changed.map(([uri]) => uri),
  );
  return { ...after, texts: new Map([...after.texts].filter(([uri, text]) => (later.get(uri) ?? text) === text)) };
}

/** A subscribed stream of changes. */
interface OpenChangeStream {
  /** Ends it. @returns Why something may not have been heard, and the stream of a request. */
  end(): Promise<Pick<Watched, 'deaf' | 'stream'>>;
}

/** Subscribes to changes in the way of the revision, while other requests are sent. */
async function listen(harness: Harness, probeClient: ProbeClient, uris: readonly string[]): Promise<OpenChangeStream> {
  const isStateless = harness.revision.clientDescribed === 'each-request';
  // One conversation over lines receives everything.
  const isHeard: OpenChangeStream = { end: () => Promise.resolve({ deaf: undefined, stream: undefined }) };
  if (!isStateless)
    return harness.over === 'http'
      ? await begun(harness, (conventions) => probeClient.fetch('GET', conventions))
      : isHeard;
  const declared = await declaredChanges(harness);
  const params = {
    notifications: {
      ...Object.fromEntries(declared.map((kind) => [`${kind}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    },
  };
  const opened = async (about: typeof params): Promise<OpenChangeStream> => {
    const id = probeClient.newId();
    const listening = await begun(harness, ({ begun: acknowledged, ...conventions }) =>
      probeClient.request('subscriptions/listen', about, {
        ...conventions,
        id,
        until(messages) {
          if (messages.length > 0) acknowledged?.();
          return false;
        },
      }),
    );
    return {
      async end() {
        const { deaf, stream } = await listening.end();
        return { deaf, stream: stream && { ...stream, id } };
      },
    };
  };
  if (harness.over === 'http') return both(await opened(params), await narrow(declared, opened));
  await probeClient.request('subscriptions/listen', params, { until: (messages) => messages.length > 0 });
  return isHeard;
}

/** Opens a stream for one list beside that for all, so that what it did not ask for is seen on it. */
async function narrow(
  declared: readonly ListKind[],
  open: (params: { readonly notifications: Readonly<Record<string, unknown>> }) => Promise<OpenChangeStream>,
): Promise<OpenChangeStream | undefined> {
  const [first, ...others] = declared;
  const last = others.at(-1);
  return first === undefined || last === undefined
    ? undefined
    : await open({ notifications: { [`${last}ListChanged`]: true } });
}

/** A stream that is listened to, and another that ends with it. */
function both(listening: OpenChangeStream, beside: OpenChangeStream | undefined): OpenChangeStream {
  return {
    async end() {
      const [ended] = await Promise.all([listening.end(), beside?.end()]);
      return ended;
    },
  };
}

/** Opens a stream, and waits until it has begun. */
async function begun(
  harness: Harness,
  open: (conventions: Conventions) => Promise<RawExchange | undefined>,
): Promise<OpenChangeStream> {
  const stop = new AbortController();
  let [hasBegun, isOver] = [false, false];
  let tell: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => (tell = resolve));
  const stream = open({
    waitTimeoutMs: most.listenMs,
    stop: stop.signal,
    begun() {
      hasBegun = true;
      tell();
    },
  });
  // Where it fails, that is found out at its end.
  stream.then(
    () => void (isOver = true),
    () => undefined,
  );
  await settledWithin(harness.waitTimeoutMs, Promise.race([beginning, stream]));
  return {
    async end() {
      const wasOver = isOver;
      stop.abort();
      const ended = await stream;
      return { deaf: deafness(ended, hasBegun, wasOver), stream: ended && { id: undefined, exchange: ended } };
    },
  };
}

/** Reason for which something may not have been heard on a stream; `undefined` where it was open all the time. */
function deafness(ended: RawExchange | undefined, hasBegun: boolean, wasOver: boolean): string | undefined {
  const away = ended && turnedAway(ended);
  if (away !== undefined) return away;
  // Without such a stream, nothing is missed on it.
  if (ended?.status !== undefined && ended.status !== 200) return undefined;
  if (!hasBegun) return 'no stream of changes was opened';
  return wasOver ? 'the stream of changes ended before the calls did' : undefined;
}

async function declaredChanges(harness: Harness): Promise<readonly ListKind[]> {
  const { capabilities } = await harness.offer();
  return kinds.filter((kind) => {
    const declared = capabilities[kind];
    return isObject(declared) && declared['listChanged'] === true;
  });
}

function notificationsIn(came: readonly RawExchange[]): readonly Readonly<Record<string, unknown>>[] {
  return came
    .flatMap(({ messages }) => messages.flat())
    .filter((one) => isObject(one) && one['id'] === undefined) as RequestExchange['result'][] as readonly Readonly<
    Record<string, unknown>
  >[];
}

function namesIn(offer: ServerOffer, kind: ListKind): string {
  const names = offer[kind].map((entry) => JSON.stringify(entry[kind === 'resources' ? 'uri' : 'name']));
  return names.toSorted().join();
}

/** A rule that a list change is notified, with the row of its revision. */
function told(id: string, kind: ListKind): ProbeRule {
  const method = `notifications/${kind}/list_changed`;
  return {
    id,
    lives: (revision) => rowOf(id).lives(revision),
    message: `A server with ${kind}.listChanged sends a notification when its list of ${kind} changes`,
    fix: `send ${method} when the list changes, or do not declare ${kind}.listChanged`,
    needs: kind,
    async probe(harness): Promise<RuleVerdict> {
      if (!(await declaredChanges(harness)).includes(kind))
        return notApplicable(`it does not declare ${kind}.listChanged`);
      const { before, after, heard, shown, deaf } = await watched(harness);
      const [were, are] = [namesIn(before.offer, kind), namesIn(after.offer, kind)];
      if (were === are) return notApplicable('no tool that was called changed the list');
      if (heard.some((one) => one['method'] === method)) return holds;
      if (deaf !== undefined) return notJudged(deaf);
      const changes = `it had ${were.slice(0, 200) || 'none'}, then ${are.slice(0, 200) || 'none'}`;
      return breaks(shown, `${changes}, and ${method} did not come`);
    },
  };
}

const updated: ProbeRule = {
  id: 'subs-016',
  message: 'Subscribers of a resource are notified of its changes',
  fix: 'send notifications/resources/updated with its uri, or do not declare resources.subscribe',
  needs: 'resources',
  async probe(harness) {
    const { resources } = (await harness.offer()).capabilities;
    if (!isObject(resources) || resources['subscribe'] !== true)
      return notApplicable('it does not declare resources.subscribe');
    const { before, after, heard, shown, deaf } = await watched(harness);
    // A removed resource is a change of the list.
    const changed = [...after.texts.keys()].find((uri) => before.texts.get(uri) !== after.texts.get(uri));
    if (changed === undefined) return notApplicable('no tool that was called changed a resource');
    const isTold = heard.some(
      ({ method, params }) =>
        method === 'notifications/resources/updated' && isObject(params) && isWithin(params['uri'], changed),
    );
    if (!isTold && deaf !== undefined) return notJudged(deaf);
    return isTold ? holds : breaks(shown, `${changed} changed, and notifications/resources/updated did not come`);
  },
};

/** Tells whether a URI is one, or that of a part of it. */
function isWithin(told: unknown, uri: string): boolean {
  return typeof told === 'string' && told.startsWith(uri);
}

/** Rules about changes. */
export const changeRules: readonly ProbeRule[] = [
  told('tools-005', 'tools'),
  told('tools-006', 'tools'),
  told('prompts-004', 'prompts'),
  told('prompts-005', 'prompts'),
  told('resources-004', 'resources'),
  told('subs-015', 'resources'),
  updated,
];
