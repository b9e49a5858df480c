/** A guarded bridge whose clients each have a grant of their own at the server behind it, and people at its pages. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { PerPrincipalUpstream } from '../../packages/parley/src/bridge.ts';
import type { Client } from '../../packages/parley/src/client.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { revisionOf, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { memoryCredentialStore } from '../../packages/parley/src/storage/memory-credentials.ts';
import { guardedBridge, type GuardedBridge, type GuardedBridgeOptions } from './guarded-bridge.ts';
import { authorizationServer, type AuthorizationServer } from './oidc-provider.ts';
import { visitPages } from './visited-pages.ts';
import { PageVisitor, sessionOf } from './page-visitor.ts';

/** The page at which people agree. */
export const publicUrl = 'http://127.0.0.1:9/sign-in';

/** A bridge, and what people do at its pages. */
export interface Scene extends GuardedBridge {
  readonly authorization: AuthorizationServer;
  readonly store: ReturnType<typeof memoryCredentialStore>;
  /** Moves the clock of the grants. */
  pass(ms: number): void;
  browser(person: string): PageVisitor;
  /** Goes through everything that a link leads to, and gives the heading of the last page. */
  signIn(person: string, url: string, browser?: PageVisitor): Promise<string | undefined>;
  /** Connects as somebody who opens every page that is asked for. */
  willing(
    person: string,
    down: RevisionDate,
    clientId?: string,
  ): Promise<{ readonly client: Client; readonly opened: string[] }>;
}

/** Sets the stage; it is cleared at the end of the test. */
export async function scene(
  t: TestContext,
  up: RevisionDate,
  more: Partial<GuardedBridgeOptions> = {},
  way: Partial<PerPrincipalUpstream> = {},
): Promise<Scene> {
  let ahead = 0;
  const authorization = await authorizationServer(t);
  const store = memoryCredentialStore();
  const guarded = await guardedBridge(t, {
    up,
    upstreamAuth: {
      as: 'per-principal',
      publicUrl,
      sessionOf,
      store,
      name: 'The Files',
      waitTimeoutMs: 20_000,
      now: () => Date.now() + ahead,
      ...way,
    },
    guardUpstream: (server, resource) =>
      protect(server, { resource, issuers: [authorization.issuer], scopes: ['read'] }),
    ...more,
  });
  const browser = (person: string): PageVisitor =>
    new PageVisitor((request) => guarded.bridge.pages(request), JSON.stringify([guarded.issuer.issuer, person]));
  const signIn = async (person: string, url: string, visitor = browser(person)): Promise<string | undefined> => {
    const page = await visitor.request(url);
    const onward = page.onward === undefined ? await visitor.answer(page, url, 'approve') : page;
    if (onward.title === 'Connected') return onward.title;
    assert.ok(onward.onward, onward.text);
    return (await visitor.request(await visitPages(onward.onward, { login: person }))).title;
  };
  const willing: Scene['willing'] = async (person, down, clientId) => {
    const opened: string[] = [];
    const client = await guarded.as(person, down, {
      ...(clientId === undefined ? {} : { clientId }),
      async onElicitUrl({ url }) {
        opened.push(url);
        assert.equal(await signIn(person, url), 'Connected');
        return { action: 'accept' };
      },
    });
    return { client, opened };
  };
  return { ...guarded, authorization, store, pass: (ms) => void (ahead += ms), browser, signIn, willing };
}

/** The names of the tools that a client is shown. */
export async function names(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).map(({ name }) => name).toSorted();
}

/** The text that a tool answers with. */
export async function text(client: Client, tool: string): Promise<string> {
  const { content } = await client.callTool(tool, {});
  const [block] = content;
  return block?.type === 'text' ? block.text : '';
}

/** Tells whether clients of a revision can be sent to a page. */
export function visits(down: RevisionDate): boolean {
  return revisionOf(down)?.elicitation === 'form-and-url';
}
