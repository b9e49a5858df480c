import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import type { Harness } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import type { ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, type RuleVerdict } from '../../harness/verdict.ts';
import { besideStreams } from './beside-streams.ts';

/**
 * Rules about the request of a message on a stream. Progress names its request. For other messages only the server
 * knows.
 */

/** Tokens of two calls that run at once. */
const tokens = ['parley-check-one', 'parley-check-two'] as const;

/** Limits of the calls that are made twice more at once: how many, and how long each may take, in milliseconds. */
const most = { tools: 3, ms: 2_000 };

/** Two calls of a tool at once, each on a stream of its own, beside a stream of GET where there is one. */
interface Beside {
  readonly of: CallableTool;
  readonly calls: readonly [RawExchange, RawExchange];
  /** The stream that was opened by GET; `undefined` where none was. */
  readonly get: RawExchange | undefined;
}

/** Tokens of the progress that came on a stream. */
function progressOn({ messages }: RawExchange): readonly unknown[] {
  return messages
    .flat()
    .flatMap((one) =>
      isObject(one) && one['method'] === 'notifications/progress' && isObject(one['params'])
        ? [one['params']['progressToken']]
        : [],
    );
}

async function callTwice(harness: Harness, of: CallableTool): Promise<Beside> {
  const probeClient: ProbeClient = await harness.fresh();
  try {
    const call = (): Promise<readonly RawExchange[]> =>
      Promise.all(tokens.map((progressToken) => sendCall(probeClient, of, { meta: { progressToken } })));
    const count = harness.revision.sessions ? 1 : 0;
    const { done, streams } = await besideStreams(harness, { probeClient, count }, call);
    // There are two tokens.
    return { of, calls: done as [RawExchange, RawExchange], get: streams[0] };
  } finally {
    await harness.end(probeClient);
  }
}

/** Calls of tools that end soon, two at once, with their outcomes; made once for all rules. */
async function besides(harness: Harness): Promise<readonly Beside[]> {
  const made = (await harness.made('mute')).filter(({ result, tookMs }) => result !== undefined && tookMs < most.ms);
  return await harness.kept('two calls at once', async () => {
    const all: Beside[] = [];
    // Without other evidence, each may report progress on the wrong stream.
    const sooner = made.toSorted((a, b) => progressOn(b.last).length - progressOn(a.last).length);
    for (const { of } of sooner.slice(0, most.tools)) all.push(await callTwice(harness, of));
    return all;
  });
}

/** Judges streams, of which one has to have told of progress where it belongs. */
async function judge(
  harness: Harness,
  fault: (beside: Beside) => readonly [exchange: RawExchange, why: string] | undefined,
): Promise<RuleVerdict> {
  const all = await besides(harness);
  for (const beside of all) {
    const found = fault(beside);
    const { name } = beside.of;
    if (found !== undefined) return breaks(found[0], `${name}: ${found[1]}`, `tools/${name}`);
  }
  const isTold = all.some(({ calls }) => calls.some((call) => progressOn(call).length > 0));
  return isTold ? holds : notApplicable('no called tool reports progress and ends soon');
}

const related = (id: string): ProbeRule => ({
  id,
  apart: true,
  over: 'http',
  needs: 'tools',
  message: 'The stream of a request has only messages about that request',
  fix: 'send the progress of each request on its own stream',
  probe: (harness) =>
    judge(harness, ({ calls }) => {
      const at = calls.findIndex((call, own) => progressOn(call).includes(tokens[1 - own]));
      const stray = calls[at];
      return stray && [stray, `progress of ${tokens[1 - at]} came on the stream of ${tokens[at]}`];
    }),
});

const unrelated: ProbeRule = {
  id: 'http-033',
  apart: true,
  over: 'http',
  needs: 'tools',
  message: 'A GET stream has no messages about running requests',
  fix: 'send progress with the request that it is of: extra.sendNotification, and not server.notification',
  async probe(harness) {
    const all = await besides(harness);
    if (!all.some(({ get }) => get !== undefined)) return notApplicable('it opens no stream by GET');
    return await judge(harness, ({ get }) => {
      const stray = get && tokens.find((token) => progressOn(get).includes(token));
      return get && stray && [get, `progress of ${stray} came on it`];
    });
  },
};

/** Rules about what belongs where. */
export const belongingRules: readonly ProbeRule[] = [related('http-021'), related('http-054'), unrelated];
