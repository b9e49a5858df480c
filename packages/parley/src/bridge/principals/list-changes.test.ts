/** Whom a change of a list reaches, if each person has an upstream connection of their own: exactly those whose lists change. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { signingIn, type SigningIn } from '../../../../../test/support/signing-in.ts';
import { until } from '../../../../../test/support/turns.ts';
import { connect, type Client } from '../../client.ts';
import type { Bridge, MergedBridge } from '../../bridge.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import { listen } from '../../transports/node/server/http.ts';

interface Person {
  readonly client: Client;
  /** How its subscription to the tools went on. */
  readonly events: string[];
}

/** Serves the bridge over HTTP, where a header names the person. */
async function served(t: TestContext, bridge: Bridge | MergedBridge): Promise<string> {
  const { url, close } = await listen(bridge, {
    port: 0,
    authenticate: (request) => ({ principal: request.header('x-person') ?? '', clientId: 'app' }),
  });
  t.after(() => close({ drainTimeoutMs: 0 }));
  return url;
}

/** Connects as somebody who listens to the tools: by the stream of a GET, or by `subscriptions/listen`. */
async function person(
  t: TestContext,
  scene: SigningIn,
  { url, name, down }: { readonly url: string; readonly name: string; readonly down: RevisionDate },
): Promise<Person> {
  const client = await connect(url, {
    revisions: [down],
    headers: { 'x-person': name },
    onElicitUrl: async (visit) => {
      assert.equal(await scene.signIn(name, visit.url), 'Connected');
      return 'accept' as const;
    },
  });
  t.after(() => client.close());
  const events: string[] = [];
  await client.subscribe({ tools: true }, ({ type }) => void events.push(type));
  await client.listTools({ cache: 'bypass' });
  return { client, events };
}

for (const up of ['2025-11-25', '2026-07-28'] as const)
  for (const down of ['2025-11-25', '2026-07-28'] as const)
    for (const servers of ['one server', 'two servers'] as const)
      describe(`a change of the tools before ${servers} of ${up}`, () => {
        test(`reaches the clients of ${down} whose tools changed, and no other`, async (t) => {
          const scene = signingIn(t);
          const bridge =
            servers === 'one server'
              ? await scene.bridge({ upstreamRevisions: [up] })
              : await scene.several({ mcp: {}, other: {} }, { upstreamRevisions: [up] });
          const url = await served(t, bridge);
          const of = (name: string): Promise<Person> => person(t, scene, { url, name, down });
          const [ann, also, bob, carol] = [await of('ann'), await of('ann'), await of('bob'), await of('carol')];
          const signIn = async ({ client }: Person): Promise<unknown> =>
            await client.callTool(servers === 'one server' ? 'sign_in' : 'mcp__sign_in');
          // A stream that ended because its list is another one is opened again.
          const isTold = ({ events }: Person): boolean => events.some((type) => type === 'list' || type === 'reopened');
          await signIn(ann);
          await until(() => isTold(ann) && isTold(also), 'both clients of ann are told');
          assert.deepEqual([bob.events, carol.events], [[], []]);
          await signIn(bob);
          await until(() => isTold(bob), 'bob is told');
          const reopens = down === '2026-07-28' && servers === 'one server';
          const open = ({ events }: Person): boolean => !reopens || events.includes('reopened');
          await until(() => [ann, also, bob].every(open), 'their streams are open');
          for (const { events } of [ann, also, bob]) events.length = 0;
          scene.world.server.tool('new', {}, () => 'x');
          await until(() => [ann, also, bob].every(({ events }) => events.includes('list')), 'all three are told');
          assert.deepEqual(carol.events, []);
        });
      });
