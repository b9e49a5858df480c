/** A server of `fastmcp`, which speaks the handshake revisions: `node fastmcp.ts stdio|http`. */

import { setTimeout as pause } from 'node:timers/promises';
import { FastMCP, type Context, type FastMCPSession } from 'fastmcp';
import { z } from 'zod';
import { breath, keepToLoopback } from './loopback.ts';

const quiet = (): void => undefined;
const server = new FastMCP({
  name: 'fast',
  version: '4.20.16',
  logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
});

server.addTool({
  name: 'greet',
  description: 'Greets.',
  parameters: z.object({ name: z.string() }),
  execute: async ({ name }) => `Hello, ${name}!`,
});
server.addTool({
  name: 'count',
  description: 'Counts to three.',
  execute: async (_, { reportProgress }) => {
    for (const progress of [1, 2, 3]) {
      await reportProgress({ progress, total: 3 });
      await breath();
    }
    return 'counted';
  },
});
server.addTool({
  name: 'book',
  description: 'Asks for a name.',
  execute: async (_, context) => `a table for ${await nameFrom(context)}`,
});
server.addTool({
  name: 'think',
  description: 'Asks the model.',
  execute: async (_, context) => `the model said ${await greetingFrom(context, 'Ann')}`,
});
server.addTool({
  name: 'rounds',
  description: 'Asks twice, one after the other.',
  execute: async (_, context) => {
    const name = await nameFrom(context);
    return `${name}: ${await greetingFrom(context, name)}`;
  },
});
server.addTool({
  name: 'look',
  description: 'Asks for the roots.',
  execute: async (_, context) => {
    const session = await sessionOf(context);
    const { roots } = await session.server.listRoots();
    return `roots: ${roots.map(({ uri }) => uri).join(' ')}`;
  },
});
server.addTool({
  name: 'grow',
  // It does not declare that it tells of its tools.
  description: 'Adds a prompt.',
  execute: async (_, context) => {
    await sessionOf(context);
    server.addPrompt({ name: 'grown', description: 'Was added.', load: async () => 'here' });
    return 'grown';
  },
});
server.addResource({
  uri: 'memo://one',
  name: 'memo',
  mimeType: 'text/plain',
  load: async () => ({ text: 'remember the milk' }),
});
server.addPrompt({
  name: 'welcome',
  description: 'Welcomes.',
  arguments: [{ name: 'name', required: true }],
  load: async ({ name }) => `Please welcome ${name}.`,
});

async function nameFrom({ elicit }: Context<Record<string, unknown> | undefined>): Promise<string> {
  const { action, content } = await elicit({
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  });
  return action === 'accept' ? String(content?.['name']) : action;
}

async function greetingFrom(context: Context<Record<string, unknown> | undefined>, name: string): Promise<string> {
  const session = await sessionOf(context);
  const { content } = await session.requestSampling({
    messages: [{ role: 'user', content: { type: 'text', text: `greet ${name}` } }],
    maxTokens: 20,
  });
  return JSON.stringify(content);
}

/** A server knows its sessions only some time after they were opened; over stdio there is one, without an id. */
async function sessionOf({ sessionId: id }: Context<Record<string, unknown> | undefined>): Promise<FastMCPSession> {
  for (;;) {
    const session = id === undefined ? server.sessions[0] : server.sessions.find(({ sessionId }) => sessionId === id);
    if (session !== undefined) return session;
    await pause(10);
  }
}

if (process.argv[2] === 'http') {
  keepToLoopback();
  await server.start({ transportType: 'httpStream', httpStream: { port: 1, host: '127.0.0.1', endpoint: '/mcp' } });
} else {
  await server.start({ transportType: 'stdio' });
}
