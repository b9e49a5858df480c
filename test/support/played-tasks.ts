/** A server whose answers about tasks are written down, for a client whose time passes as a test says. */

import type { TestContext } from 'node:test';
import type { ConnectOptions } from '../../packages/parley/src/client/api/options.ts';
import type { ScriptedPeer, SentMessage } from '../../packages/parley/src/testing/scripted.ts';
import { connected, type Connected } from './connected-client.ts';

type Json = Readonly<Record<string, unknown>>;

/** The id of the extension. */
const extension = 'io.modelcontextprotocol/tasks';

/** A client, and what it asked its server. */
export interface Played extends Connected {
  /** The methods that were asked, with when. */
  readonly asked: readonly { readonly method: string; readonly at: number; readonly params: Json }[];
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

/** Connects to a server that answers each method by a function; time passes as the test says. */
export async function playing(
  t: TestContext,
  answers: Readonly<Record<string, (params: Json, peer: ScriptedPeer, sent: SentMessage) => Json | undefined>>,
  options: ConnectOptions = {},
): Promise<Played> {
  let now = 0;
  const asked: { method: string; at: number; params: Json }[] = [];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const one = await connected(
    (sent, peer) => {
      const { method, id, params } = sent.message;
      if (id === undefined) return;
      asked.push({ method: String(method), at: now, params: params as Json });
      const answer = answers[String(method)]?.(params as Json, peer, sent);
      if (answer === undefined) return;
      if ('code' in answer) peer.refuse(sent, answer as never);
      else peer.reply(sent, answer);
    },
    {
      capabilities: { tools: {}, extensions: { [extension]: {} } },
      options: { ...options, now: () => now, random: () => 0 },
    },
  );
  t.after(() => one.client.close());
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 50) {
      now += 50;
      t.mock.timers.tick(50);
      for (let turn = 0; turn < 30; turn++) await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { ...one, asked, pass };
}
