/** A bridge in memory whose clients each have a grant of their own at the server behind it, and the browsers of their people. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type {
  Bridge,
  BridgeOptions,
  MergedBridge,
  MergedBridgeOptions,
  PerPrincipalUpstream,
} from '../../packages/parley/src/bridge.ts';
import { bridgeOver } from '../../packages/parley/src/bridge/bridge.ts';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { memoryCredentialStore } from '../../packages/parley/src/storage/memory-credentials.ts';
import { connectInMemory, type PairOptions } from '../../packages/parley/src/testing/pair.ts';
import { createWorld, issuer, mcp, redirectUri, type World } from './authorization-world.ts';
import { PageVisitor, sessionOf } from './page-visitor.ts';

/** The page at which people agree. */
export const publicUrl = 'https://bridge.example/sign-in';

/** A bridge whose people sign in. */
export interface SigningIn {
  readonly world: World;
  readonly store: ReturnType<typeof memoryCredentialStore>;
  readonly warnings: string[];
  /** The bridge before the server of the world, or before several. */
  bridge(options?: Partial<BridgeOptions>, way?: Partial<PerPrincipalUpstream>): Promise<Bridge>;
  several(
    ways: Readonly<Record<string, Partial<PerPrincipalUpstream>>>,
    options?: Partial<MergedBridgeOptions>,
  ): Promise<MergedBridge>;
  browser(person: string): PageVisitor;
  /** Agrees, signs in and comes back; gives the heading of the last page. */
  signIn(person: string, url: string): Promise<string | undefined>;
  /** Connects as somebody who opens every page, or who does something else with it. */
  as(person: string, revision: RevisionDate, options?: PairOptions): Promise<Client>;
}

/** Another server of the world, which lets nobody in. */
function locked(name: string): World['laws']['answers'] {
  const metadata = `/.well-known/oauth-protected-resource/${name}`;
  const resource = { resource: `https://mcp.example/${name}`, authorization_servers: [issuer] };
  const headers = { 'www-authenticate': `Bearer resource_metadata="https://mcp.example${metadata}"` };
  return {
    [metadata]: () => Response.json(resource),
    [`/${name}`]: () => new Response('{}', { status: 401, headers }),
  };
}

/** Sets the stage; it is cleared at the end of the test. */
export function signingIn(t: TestContext): SigningIn {
  const world = createWorld();
  const store = memoryCredentialStore();
  const warnings: string[] = [];
  const create = bridgeOver((upstream, options) => connect(upstream as URL, { ...options, fetch: world.fetch }));
  const behavior = { onWarning: (message: string) => void warnings.push(message), onError: () => undefined };
  const wayOf = (way: Partial<PerPrincipalUpstream>): PerPrincipalUpstream => ({
    as: 'per-principal',
    publicUrl,
    sessionOf,
    store,
    name: 'The Files',
    fetch: world.fetch,
    now: () => world.time,
    ...way,
  });
  let bridge: Bridge | MergedBridge | undefined;
  const stand = <T extends Bridge | MergedBridge>(made: T): T => {
    bridge = made;
    t.after(() => made.close());
    return made;
  };
  const scene: SigningIn = {
    world,
    store,
    warnings,
    bridge: async (options = {}, way = {}) =>
      stand(await create({ upstream: mcp, upstreamAuth: wayOf(way), ...behavior, ...options })),
    several: async (ways, options = {}) => {
      for (const name of Object.keys(ways))
        if (name !== 'mcp') world.laws.answers = { ...world.laws.answers, ...locked(name) };
      const upstreams = Object.entries(ways).map(([name, way]) => [
        name,
        {
          upstream: `https://mcp.example/${name}`,
          upstreamAuth: wayOf({ name, publicUrl: `${publicUrl}/${name}`, ...way }),
        },
      ]);
      return stand(await create({ upstreams: Object.fromEntries(upstreams), ...behavior, ...options }));
    },
    browser: (person) => new PageVisitor((request) => bridge?.pages(request), person),
    async signIn(person, url) {
      const visitor = scene.browser(person);
      const sent = await visitor.answer(await visitor.request(url), url, 'approve');
      if (sent.onward === undefined) return sent.title;
      const callback = await world.visit({ url: sent.onward, redirectUri } as never);
      return (await visitor.request(callback)).title;
    },
    async as(person, revision, options = {}) {
      assert.ok(bridge);
      const client = await connectInMemory(bridge, {
        revision,
        auth: { principal: person, clientId: 'app' },
        onElicitUrl: async ({ url }) => {
          assert.equal(await scene.signIn(person, url), 'Connected');
          return { action: 'accept' };
        },
        ...options,
      });
      t.after(() => client.close());
      return client;
    },
  };
  return scene;
}
