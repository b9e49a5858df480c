/**
 * A client that is content with little, and takes offence soon: it gives up what others try again, hears with listeners that throw, and goes in the middle of
 * it. Whatever it begins ends, one way or the other.
 */

import { connect, type Client } from '../../../packages/parley/src/client.ts';
import { httpTransport, ssePairTransport } from '../../../packages/parley/src/http.ts';
import type { Process } from '../world.ts';
import { clientHeader, newsUri } from './node.ts';
import { guestKey, guestName, type GuestParts } from './raw.ts';

/** The longest that anything of it may take, in milliseconds. */
const maxMs = 90_000;

/** Runs one to its end. */
export async function beImpatient(process: Process, parts: GuestParts): Promise<void> {
  const { world, judge } = parts;
  const begun = new Map<string, number>();
  const ends = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    begun.set(what, world.now);
    try {
      await run();
    } catch (error) {
      world.note(`${process.name} gives ${what} up: ${String(error)}`);
    }
    const ms = world.now - (begun.get(what) ?? 0);
    if (ms > maxMs) judge.violated(`${process.name} waits ${ms} ms for ${what}`);
    begun.delete(what);
  };
  for (let visit = 0; visit < 2; visit++) {
    const client = await come(process, parts).catch((error: unknown) => {
      world.note(`${process.name} does not get in: ${String(error)}`);
    });
    if (client !== undefined) await stay(client, { ends, key: guestKey + 100 + visit * 10 });
    await new Promise<void>((resolve) => void world.later(1_500, process, resolve));
  }
  // What it left behind ends with it.
  for (const what of begun.keys()) judge.violated(`${process.name} never hears of ${what}`);
}

/** What it cannot bear to hear. */
const throwing = (): never => {
  throw new Error('this listener throws');
};

async function come(process: Process, { network, plan, tokens }: GuestParts): Promise<Client> {
  const [make, path] = plan.pair ? [ssePairTransport, 'sse'] : [httpTransport, 'mcp'];
  const options = {
    fetch: network.fetchOf(process),
    headers: { [clientHeader]: guestName },
    ...(tokens && { auth: tokens.sourceOf(guestName) }),
  };
  return await connect(make(`http://localhost/${path}?seed=${plan.seed}`, options), {
    timeoutMs: 3_000,
    maxTotalTimeoutMs: 9_000,
    maxReconnects: 1,
    maxReopens: 1,
    onProgress: throwing,
    onNotification: throwing,
    onWarning: throwing,
    onLog: throwing,
  });
}

type Ends = (what: string, run: () => Promise<unknown>) => Promise<void>;

async function stay(client: Client, { ends, key }: { readonly ends: Ends; readonly key: number }): Promise<void> {
  client.onClose(throwing);
  client.onReconnect(throwing);
  const all = [
    ends('a list', async () => await client.listTools()),
    ends('steps', async () => await client.callTool('steps', { key }, { onProgress: throwing })),
    ends('what it is not asked', async () => await client.callTool('ask', { key: key + 1 })),
    ends('changes', async () => await client.subscribe({ tools: true, prompts: true, resources: true }, throwing)),
    ends('news', async () => await client.subscribe({ updates: [newsUri] }, throwing)),
    ends('a poll', async () => await client.callTool('poll', { key: key + 2 })),
  ];
  await new Promise<void>((resolve) => void setTimeout(resolve, 500 + (key % 7) * 600));
  const closed = client.close();
  await ends('more after the end', async () => await client.ping());
  await ends('changes after the end', async () => await client.subscribe({ tools: true }, throwing));
  await closed;
  await Promise.all(all);
}
