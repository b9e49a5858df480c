/** Asks a method that no revision has, in every way that a new one must go; writes what was seen as JSON. See `new-method.ts`. */

import {
  connect,
  createBridge,
  createServer,
  McpError,
  revisions,
  type RevisionDate,
  type Server,
} from '../../packages/parley/src/index.ts';
import { features } from '../../packages/cli/src/compatibility/fidelity.ts';
import { memoryTransport } from '../../packages/parley/src/testing.ts';
import { served } from './new-method.ts';

/** What was seen of the method. */
export interface Seen {
  /** What a client of each revision got, or the kind of its error. */
  readonly direct: Readonly<Record<string, unknown>>;
  /** What a client of the newest revision got through a bridge from a server of 2025-06-18. */
  readonly bridged: unknown;
  /** The same where the bridge makes one of two servers. */
  readonly merged: unknown;
  /** How often the server was asked when its client asked twice and may take what it has. */
  readonly asked: number;
  /** The line of the method in docs/fidelity.md. */
  readonly line: unknown;
}

const method = 'words/explain';
const params = { word: 'hop', language: 'de' };

function serverOf(date: RevisionDate): Server {
  const server = createServer({ name: 'words', version: '1' }, { revisions: [date] });
  server.tool('any', {}, () => 'any');
  return server;
}

type Target = Parameters<typeof memoryTransport>[0];

async function asked(target: Target, date: RevisionDate, times = 1): Promise<unknown> {
  const client = await connect(memoryTransport(target), { revisions: [date] });
  try {
    let result: Readonly<Record<string, unknown>> = {};
    for (let time = 0; time < times; time++) result = await client.request(method, params, { cache: 'use' });
    const { _meta, ...rest } = result;
    return rest;
  } catch (error) {
    return error instanceof McpError ? error.kind : String(error);
  } finally {
    await client.close();
  }
}

const dates = revisions.map(({ date }) => date);
const newest = dates.at(-1) ?? '2026-07-28';
const direct = Object.fromEntries(
  await Promise.all(dates.map(async (date) => [date, await asked(serverOf(date), date)])),
);

const single = await createBridge({ upstream: memoryTransport(serverOf('2025-06-18')) });
const bridged = await asked(single, newest);
await single.close();

const upstreams = {
  one: { upstream: memoryTransport(serverOf('2025-06-18')) },
  two: { upstream: memoryTransport(serverOf('2025-03-26')) },
};
const front = await createBridge({ upstreams });
const merged = await asked(front, newest);
await front.close();

const before = served.times;
await asked(serverOf(newest), newest, 2);

const line = features.find(({ id }) => id === method);
const seen: Seen = { direct, bridged, merged, asked: served.times - before, line: line?.title };
console.log(JSON.stringify(seen));
