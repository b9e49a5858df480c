/** What `explain` says of an odd server, and what a client, `parley call` and bridges make of it. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { explainServer } from '../../packages/cli/src/commands/explain/server.ts';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { inThisProcess } from '../support/cli-process.ts';
import { takeViolations } from '../support/sent-wrong.ts';
import { freshUrl, lineTransport, type Fetch, type Lines } from './peers.ts';

/** Server over HTTP, or on stdio: what it writes at each line, and the command that starts it. */
export type Odd = { readonly fetch: Fetch } | { readonly lines: Lines; readonly command: readonly string[] };

/** Names in each list, or `fails` where there is no connection; `no list` is a list that could not be read. */
type Lists = 'fails' | Readonly<Record<'tools' | 'prompts' | 'resources' | 'resourceTemplates', string>>;

/** What one user has of a server. */
export interface Use {
  readonly lists: Lists;
  /** Outcome of a call of its first tool; empty where there is none. */
  readonly called: string;
}

export interface Agreement {
  readonly explain: Lists;
  readonly connect: Use;
  readonly call: Use;
  /** Those of clients of several versions before a bridge, where they differ. */
  readonly bridge: readonly Use[];
}

/** Versions of clients of a bridge. */
const versions = ['2026-07-28', '2025-11-25', '2024-11-05'] as const satisfies readonly RevisionDate[];

const noList = 'no list';

/** Uses a server in each way. */
export async function agreed(odd: Odd): Promise<Agreement> {
  const reach = (): Transport =>
    'fetch' in odd ? httpTransport(freshUrl(), { fetch: odd.fetch }) : lineTransport(odd.lines);
  const [explain, direct, call, bridge] = await Promise.all([
    explained(reach),
    usedBy(connect(reach(), { onWarning: () => undefined })),
    'fetch' in odd ? overHttp(odd.fetch, (url) => called([url], [])) : called(['--', ...odd.command], ['--']),
    bridged(reach),
  ]);
  return { explain, connect: direct, call, bridge };
}

/** Whether the same lists are explained and had in each way, and a call that works for a client works in each way. */
export function agrees({ explain, connect: direct, call, bridge }: Agreement): boolean {
  const same = (use: Use): boolean => JSON.stringify(use.lists) === JSON.stringify(explain);
  // An older client of a bridge does not know every field that may be wrong.
  return [direct, call, ...bridge].every(
    (use) => same(use) && (use.called === direct.called || (bridge.includes(use) && direct.called === 'fails')),
  );
}

async function explained(reach: () => Transport): Promise<Lists> {
  const { signal } = new AbortController();
  const { works, offer } = await explainServer({ reach, timeoutMs: undefined, wire: false, signal });
  if (!works) return 'fails';
  const names = (listed: { readonly items: readonly object[]; readonly error?: string } | undefined): string =>
    listed?.error === undefined ? namesOf(listed?.items ?? []) : noList;
  return {
    tools: names(offer?.tools),
    prompts: names(offer?.prompts),
    resources: names(offer?.resources),
    resourceTemplates: names(offer?.resourceTemplates),
  };
}

function namesOf(items: readonly object[]): string {
  return items.map((item) => ('name' in item ? String(item.name) : '?')).join();
}

async function usedBy(connecting: Promise<Client>): Promise<Use> {
  const client = await connecting.catch(() => undefined);
  if (client === undefined) return { lists: 'fails', called: '' };
  const names = (list: Promise<readonly object[]>): Promise<string> => list.then(namesOf, () => noList);
  try {
    const lists = {
      tools: await names(client.listTools()),
      prompts: await names(client.listPrompts()),
      resources: await names(client.listResources()),
      resourceTemplates: await names(client.listResourceTemplates()),
    };
    const tool = firstOf(lists);
    const outcome = tool === undefined ? '' : await client.callTool(tool).then(resultWords, () => 'fails');
    return { lists, called: outcome };
  } finally {
    await client.close();
  }
}

const resultWords = ({ isError }: { readonly isError?: boolean }): string => (isError === true ? 'fails' : 'done');

/** The tool that is called; the command line calls none where a list of them could not be read. */
function firstOf({ tools }: Exclude<Lists, string>): string | undefined {
  return tools === '' || tools === noList ? undefined : tools.split(',', 1)[0];
}

async function bridged(reach: () => Transport): Promise<readonly Use[]> {
  const onWarning = (): void => undefined;
  const bridge = await createBridge({ upstream: reach(), onWarning, onError: onWarning }).catch(() => undefined);
  if (bridge === undefined) return [{ lists: 'fails', called: '' }];
  const uses: Use[] = [];
  for (const version of versions)
    uses.push(await usedBy(connect(memoryTransport(bridge), { revisions: [version], onWarning })));
  await bridge.close();
  // A bridge sends what its server sent.
  takeViolations();
  const same = uses.every((use) => JSON.stringify(use) === JSON.stringify(uses[0]));
  return same ? uses.slice(0, 1) : uses;
}

/** `parley call`: its catalogue, and a call. @param behind What stands between the server and the tool. */
async function called(server: readonly string[], behind: readonly string[]): Promise<Use> {
  const { code, stdout, stderr } = await inThisProcess(['call', '--json', ...server]);
  // Where no list could be read, it says so and fails.
  const refused = code === 0 ? undefined : /^parley: the server refused (.*)/m.exec(stderr)?.[1];
  if (code !== 0 && refused === undefined) return { lists: 'fails', called: '' };
  const catalogue = (code === 0 ? JSON.parse(stdout) : {}) as Readonly<Record<string, readonly object[]>>;
  const failed = Object.keys(catalogue['refused'] ?? {});
  const names = (key: string, method: string): string =>
    failed.includes(method) || refused?.includes(`${method}: `) === true ? noList : namesOf(catalogue[key] ?? []);
  const lists = {
    tools: names('tools', 'tools/list'),
    prompts: names('prompts', 'prompts/list'),
    resources: names('resources', 'resources/list'),
    resourceTemplates: names('resourceTemplates', 'resources/templates/list'),
  };
  const tool = firstOf(lists);
  if (tool === undefined) return { lists, called: '' };
  const ran = await inThisProcess(['call', ...server, ...behind, tool]);
  return { lists, called: ran.code === 0 ? 'done' : 'fails' };
}

/** Puts a server into a network, for the time of a use. */
async function overHttp<T>(fetch: Fetch, use: (url: string) => Promise<T>): Promise<T> {
  const http = createServer((incoming, outgoing) => {
    void (async () => {
      const { method = '', url = '' } = incoming;
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const headers = new Headers();
      for (const [name, value] of Object.entries(incoming.headers))
        if (typeof value === 'string' && name !== 'connection') headers.set(name, value);
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const answer = await fetch(`http://${incoming.headers.host}${url}`, { method, headers, ...body });
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      outgoing.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  } finally {
    http.closeAllConnections();
    http.close();
  }
}
