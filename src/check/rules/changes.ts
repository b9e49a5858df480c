import { isObject } from '../../jsonrpc/message.ts';
import { obliging, type Bench } from '../bench/bench.ts';
import { makeCall } from '../bench/calls.ts';
import type { Exchanged } from '../bench/exchange.ts';
import { entryText, listOffer, type ServerOffer } from '../bench/offer.ts';
import type { Answered, Prober } from '../bench/prober.ts';
import { rowOf } from '../register.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, notApplicable, NotJudged, type RuleVerdict } from '../verdict.ts';

/** Rules about changes of what a server has, which tools bring that are called where that is allowed. */

type Kind = 'tools' | 'prompts' | 'resources';
const kinds: readonly Kind[] = ['tools', 'prompts', 'resources'];

/** Observations of a server whose tools were called while somebody listened. */
interface Watched {
  /** The lists, and texts of resources, before and after the calls. */
  readonly before: Standing;
  readonly after: Standing;
  /** Notifications that came in the meantime. */
  readonly heard: readonly Readonly<Record<string, unknown>>[];
  /** The answer that shows the change. */
  readonly shown: Exchanged;
}

interface Standing {
  readonly offer: ServerOffer;
  readonly texts: ReadonlyMap<string, string>;
}

/** Limits of the tools that are called, of the time that one may take, and of the resources that are read. */
const most = { tools: 5, tookMs: 5_000, resources: 3 };

/** Calls each tool that may be called once, and listens to what changes. @throws NotJudged where none may be. */
async function watched(bench: Bench): Promise<Watched> {
  const made = (await bench.made('obliging')).filter(({ tookMs }) => tookMs < most.tookMs).slice(0, most.tools);
  return await bench.kept('changes', async () => {
    const speaker = await bench.fresh(obliging);
    try {
      const before = await standing(speaker);
      const uris = [...before.texts.keys()];
      const waitMs = made.reduce((sum, { tookMs }) => sum + tookMs + 3 * bench.quietMs, 6 * bench.quietMs);
      const listening = await listen(bench, speaker, { uris, waitMs });
      let isDeaf = false;
      const ended = (heard: readonly Exchanged[]): void => void (isDeaf = heard.some(({ end }) => end === 'limit'));
      listening.came.then(ended, () => undefined);
      const came: Exchanged[] = [];
      for (const { of } of made) {
        came.push(...(await makeCall(speaker, of)).rounds);
        // What comes a little later comes with this.
        came.push(await speaker.request(bench.harmless, undefined, { waitMs: bench.quietMs, until: () => false }));
      }
      // On a busy machine the calls may take longer than somebody listens.
      if (isDeaf) throw new NotJudged('the tools took longer than when they were called before');
      const after = await standing(speaker, uris);
      const shown = await speaker.request(bench.harmless);
      came.push(shown, ...(await listening.came));
      return { before, after, heard: notificationsIn(came), shown };
    } finally {
      await bench.end(speaker);
    }
  });
}

async function standing(speaker: Prober, wanted?: readonly string[]): Promise<Standing> {
  const offer = await listOffer(speaker);
  const listed = offer.resources.flatMap((one) => entryText(one, 'uri') ?? []).slice(0, most.resources);
  const texts = new Map<string, string>();
  for (const uri of wanted ?? listed) {
    const { result } = await speaker.request('resources/read', { uri });
    if (result !== undefined) texts.set(uri, JSON.stringify(result['contents']));
  }
  return { offer, texts };
}

/** Hears of changes as the revision does it, for some time, while other requests go out. */
async function listen(
  bench: Bench,
  speaker: Prober,
  { uris, waitMs }: { readonly uris: readonly string[]; readonly waitMs: number },
): Promise<{ readonly came: Promise<readonly Exchanged[]> }> {
  const isStateless = bench.revision.clientDescribed === 'each-request';
  if (!isStateless) {
    if (bench.over !== 'http') return { came: Promise.resolve([]) };
    const stream = speaker.fetch('GET', { waitMs });
    await speaker.rest(bench.quietMs);
    return { came: stream.then((one) => (one === undefined ? [] : [one])) };
  }
  const declared = await declaredChanges(bench);
  const params = {
    notifications: {
      ...Object.fromEntries(declared.map((kind) => [`${kind}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    },
  };
  if (bench.over === 'http') {
    const stream = speaker.request('subscriptions/listen', params, { waitMs, until: () => false });
    await speaker.rest(bench.quietMs);
    return { came: stream.then((one) => [one]) };
  }
  // One conversation over lines hears all of it.
  const first = speaker.request('subscriptions/listen', params, { until: (messages) => messages.length > 0 });
  return { came: Promise.resolve([await first]) };
}

async function declaredChanges(bench: Bench): Promise<readonly Kind[]> {
  const { capabilities } = await bench.offer();
  return kinds.filter((kind) => {
    const declared = capabilities[kind];
    return isObject(declared) && declared['listChanged'] === true;
  });
}

function notificationsIn(came: readonly Exchanged[]): readonly Readonly<Record<string, unknown>>[] {
  return came
    .flatMap(({ messages }) => messages.flat())
    .filter((one) => isObject(one) && one['id'] === undefined) as Answered['result'][] as readonly Readonly<
    Record<string, unknown>
  >[];
}

function namesIn(offer: ServerOffer, kind: Kind): string {
  const names = offer[kind].map((entry) => JSON.stringify(entry[kind === 'resources' ? 'uri' : 'name']));
  return names.toSorted().join();
}

/** A rule that a change of a list is told, by the row of a time. */
function told(id: string, kind: Kind): ProbeRule {
  const method = `notifications/${kind}/list_changed`;
  return {
    id,
    lives: (revision) => rowOf(id).lives(revision),
    words: `A server that says so tells of changes of its list of ${kind}`,
    mend: `send ${method} when the list changes, or do not declare ${kind}.listChanged`,
    needs: kind,
    async probe(bench): Promise<RuleVerdict> {
      if (!(await declaredChanges(bench)).includes(kind))
        return notApplicable(`it does not declare ${kind}.listChanged`);
      const { before, after, heard, shown } = await watched(bench);
      const [were, are] = [namesIn(before.offer, kind), namesIn(after.offer, kind)];
      if (were === are) return notApplicable('no tool that was called changed the list');
      return heard.some((one) => one['method'] === method)
        ? holds
        : breaks(
            shown,
            `it had ${were.slice(0, 200) || 'none'}, then ${are.slice(0, 200) || 'none'}, and ${method} did not come`,
          );
    },
  };
}

const updated: ProbeRule = {
  id: 'subs-016',
  words: 'A change of a resource is told to whoever listens to it',
  mend: 'send notifications/resources/updated with its uri, or do not declare resources.subscribe',
  needs: 'resources',
  async probe(bench) {
    const { resources } = (await bench.offer()).capabilities;
    if (!isObject(resources) || resources['subscribe'] !== true)
      return notApplicable('it does not declare resources.subscribe');
    const { before, after, heard, shown } = await watched(bench);
    const changed = [...before.texts.keys()].find((uri) => before.texts.get(uri) !== after.texts.get(uri));
    if (changed === undefined) return notApplicable('no tool that was called changed a resource');
    const isTold = heard.some(
      ({ method, params }) =>
        method === 'notifications/resources/updated' && isObject(params) && params['uri'] === changed,
    );
    return isTold ? holds : breaks(shown, `${changed} changed, and notifications/resources/updated did not come`);
  },
};

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
