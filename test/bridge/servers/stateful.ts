/**
 * A server of the official SDK on stdio that keeps its state in the process, and finishes what it began whatever is
 * cancelled. What became of a transfer it tells on stderr: whoever was asked for its consent, its caller may be gone.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from 'sdk-1.32.2/server/mcp.js';
import { StdioServerTransport } from 'sdk-1.32.2/server/stdio.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from 'sdk-1.32.2/types.js';
import { z } from 'zod';

const server = new McpServer(
  { name: 'stateful', version: '1.0.0' },
  { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } } },
);
const text = (words: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: words }],
});
const after = { ms: z.number().optional() };
/** Nothing here depends on how fast a machine is: a transfer goes on when the next call has begun, which waits for it. */
const waiting = { wait: z.boolean().optional() };
const named = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
const watched = new Set<string>();
const begun: (() => void)[] = [];
const transfers = new Set<Promise<unknown>>();
let calls = 0;
let user: string | undefined;
let note = 'empty';

async function nameOf(message: string): Promise<string> {
  const answer = await server.server.elicitInput({ message, requestedSchema: named });
  return answer.action === 'accept' ? String(answer.content?.['name']) : answer.action;
}

/** Lets the transfers go on that wait for the next call, and waits for their ends. */
async function transferred(): Promise<void> {
  for (const go of begun.splice(0)) go();
  await Promise.all(transfers);
}

server.registerTool(
  'count',
  { description: 'Counts its calls.', inputSchema: { ...after, ...waiting } },
  async (given) => {
    const count = ++calls;
    await pause(given.ms ?? 0);
    if (given.wait === true) await transferred();
    return text(JSON.stringify({ pid: process.pid, count }));
  },
);
server.registerTool('login', { description: 'Logs in.' }, async () => {
  user = await nameOf('Log in as?');
  return text(`logged in as ${user}`);
});
server.registerTool('whoami', { description: 'Says who is logged in.' }, () => text(user ?? 'nobody'));
server.registerTool(
  'greet',
  { description: 'Asks for a name, later.', inputSchema: { ...after, ...waiting } },
  async (given) => {
    await pause(given.ms ?? 0);
    if (given.wait === true) await transferred();
    return text(`Hello, ${await nameOf('Your name?')}!`);
  },
);
server.registerTool(
  'transfer',
  { description: 'Asks for consent, later.', inputSchema: { ...after, ...waiting } },
  async ({ ms = 0, wait }, { _meta: meta, sendNotification }) => {
    const next = wait === true ? new Promise<void>((go) => begun.push(go)) : pause(ms);
    const transfer = next.then(transferNow);
    transfers.add(transfer);
    const progressToken = meta?.progressToken;
    if (progressToken !== undefined)
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    return text(await transfer);
  },
);

async function transferNow(): Promise<string> {
  await server.server.sendLoggingMessage({ level: 'error', data: 'the transfer goes on' });
  const outcome = await nameOf('Confirm the transfer').catch(({ message }: Error) => `refused: ${message}`);
  process.stderr.write(`transfer ${outcome}\n`);
  return outcome;
}

server.registerTool('grow', { description: 'Adds a tool.' }, () => {
  server.registerTool('grown', { description: 'Was added.' }, () => text('here'));
  return text('grown');
});
server.registerTool('write', { description: 'Writes the note.', inputSchema: { note: z.string() } }, async (given) => {
  note = given.note;
  if (watched.has('memo://note')) await server.server.sendResourceUpdated({ uri: 'memo://note' });
  return text('written');
});
server.registerResource('note', 'memo://note', {}, (uri) => ({ contents: [{ uri: uri.href, text: note }] }));
server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
  watched.add(params.uri);
  return {};
});
server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
  watched.delete(params.uri);
  return {};
});

await server.connect(new StdioServerTransport());
