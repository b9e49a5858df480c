/** Servers that others wrote change their lists, and official clients of the other era hear of it through the bridge. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { officialClients, type Door, type Official, type OfficialClient } from '../../scripts/demo-clients.ts';
import { fastmcp, front, official, tmcp, tmcpInSessions, type RealServer } from './real-servers.ts';
import { withClient } from './visit.ts';

/** The part of a client that hears of changes. */
interface Hearing {
  setNotificationHandler(what: unknown, hear: () => void): void;
  listen(filter: object): Promise<{ close(): Promise<void> }>;
}

/** The first SDK knows notifications by their schemas. */
const schemas: Readonly<Record<string, unknown>> = await import('sdk-1.32.2/types.js');

/** A list, and the words for it. */
interface List {
  readonly method: 'listTools' | 'listPrompts';
  readonly notification: string;
  readonly schema: string;
  readonly filter: object;
}

const tools: List = {
  method: 'listTools',
  notification: 'notifications/tools/list_changed',
  schema: 'ToolListChangedNotificationSchema',
  filter: { toolsListChanged: true },
};

const prompts: List = {
  method: 'listPrompts',
  notification: 'notifications/prompts/list_changed',
  schema: 'PromptListChangedNotificationSchema',
  filter: { promptsListChanged: true },
};

const clients = await officialClients();

function named(name: string): Official {
  const client = clients.find((one) => one.name === name);
  assert.ok(client !== undefined, name);
  return client;
}

/** Has something added to a list, waits until that is heard, and sees it in the list. */
async function seeItGrow(client: Official, door: Door, list: List): Promise<void> {
  await withClient({ official: client, door }, async (connected) => {
    // Every official client has the first of these methods, that of the second SDK the other too.
    const hearing = connected as OfficialClient & Hearing;
    const heard = new Promise<void>((resolve) => {
      const first = client.name.startsWith('sdk');
      hearing.setNotificationHandler(first ? schemas[list.schema] : list.notification, resolve);
    });
    const modern = client.revision === '2026-07-28';
    const subscription = modern ? await hearing.listen(list.filter) : undefined;
    assert.doesNotMatch(JSON.stringify(await connected[list.method]()), /"grown"/);
    await connected.callTool({ name: 'grow', arguments: {} });
    await Promise.race([heard, tooLate(5000)]);
    assert.match(JSON.stringify(await connected[list.method]()), /"grown"/);
    await subscription?.close();
  });
}

async function tooLate(ms: number): Promise<never> {
  await pause(ms, undefined, { ref: false });
  throw new Error(`no change was heard within ${ms} ms`);
}

interface Cell {
  readonly client: string;
  readonly server: RealServer;
  readonly way: 'http' | 'stdio';
  readonly list: List;
}

const cells: readonly Cell[] = [
  { client: 'sdk 1.32.2', server: official, way: 'http', list: tools },
  { client: 'sdk 1.32.2', server: official, way: 'stdio', list: tools },
  { client: 'client 2.4.0 legacy', server: official, way: 'http', list: tools },
  { client: 'client 2.4.0 legacy', server: tmcp, way: 'http', list: tools },
  { client: 'sdk 1.32.2', server: tmcp, way: 'stdio', list: tools },
  { client: 'client 2.4.0 modern', server: official, way: 'http', list: tools },
  { client: 'client 2.4.0 modern', server: tmcpInSessions, way: 'http', list: tools },
  { client: 'client 2.4.0 modern', server: tmcpInSessions, way: 'stdio', list: tools },
  { client: 'client 2.4.0 modern', server: fastmcp, way: 'http', list: prompts },
  { client: 'client 2.4.0 modern', server: fastmcp, way: 'stdio', list: prompts },
];

describe('a change of a list is heard', { concurrency: 2, timeout: 60_000 }, () => {
  for (const { client, server, way, list } of cells) {
    test(`by ${client} from ${server.name} over ${way}`, async (t) => {
      const { door, close } = await front(server, way);
      t.after(close);
      await seeItGrow(named(client), door, list);
    });
  }
});
