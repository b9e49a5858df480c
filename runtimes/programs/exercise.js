/**
 * What every runtime is asked to do: one server with a tool for each thing that can go wrong in a runtime, and a client of
 * every revision that uses all of it. Plain JavaScript and public names alone, so that it runs wherever the package does.
 */
import { connect } from 'parley-mcp/client';
import { createHandler } from 'parley-mcp/http';
import { createServer, ToolError } from 'parley-mcp/server';
import { connectInMemory } from 'parley-mcp/testing';
import { exerciseGuardedWithin } from './guarded.js';

export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

const word = { type: 'object', properties: { word: { type: 'string', pattern: '^[a-z]+$' } }, required: ['word'] };
const guests = { type: 'object', properties: { guests: { type: 'integer', minimum: 1 } }, required: ['guests'] };
const large = 'é'.repeat(500_000);

/** A server of its own for each run, since a run changes its lists. */
export function exampleServer() {
  const server = createServer({ name: 'exercise', version: '1.0.0' });
  server.tool('shout', { input: word, output: word }, ({ word: given }) => ({ word: given }));
  server.tool('fail', {}, () => {
    throw new ToolError('no such luck');
  });
  server.tool('book', {}, async (_, ctx) => {
    if (!ctx.client.supports('elicitation')) {
      const asked = { maxTokens: 9, messages: [{ role: 'user', content: { type: 'text', text: 'How many?' } }] };
      const { content } = await ctx.sample(asked);
      return `booked for ${content.text}`;
    }
    const answer = await ctx.elicit({ message: 'How many guests?', schema: guests });
    return `booked for ${answer.content?.guests}`;
  });
  server.tool('count', {}, (_, ctx) => {
    for (const done of [1, 2, 3]) ctx.progress(done, 3);
    return 'counted';
  });
  server.tool('wait', {}, (_, ctx) => {
    // With a timer, since workerd takes what waits for nothing of its own for hung.
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 10_000);
      ctx.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()));
    });
  });
  server.tool('large', {}, () => large);
  server.resource('note://one', { name: 'one' }, () => 'a note');
  server.resourceTemplate(
    'note://of/{day}',
    { name: 'of a day', complete: { day: () => ['friday'] } },
    (_, { day }) => day,
  );
  server.prompt('greet', { arguments: [{ name: 'who', required: true }] }, ({ who }) => `hi ${who}`);
  return server;
}

/** What one client does, step by step; each throws when it was not as it should be. */
const steps = {
  'list what there is': async (client) => {
    equal((await client.listTools()).length, 6);
    equal((await client.listResources()).length, 1);
    equal((await client.listPrompts()).length, 1);
  },
  'call a tool whose arguments and result are checked': async (client) => {
    const { content } = await client.callTool('shout', { word: 'hey' });
    equal(JSON.parse(content[0].text).word, 'hey');
  },
  'be refused for arguments that do not fit': async (client) => {
    const outcome = await client
      .callTool('shout', { word: 'NO' })
      .catch((error) => ({ isError: error instanceof Error }));
    equal(outcome.isError, true);
  },
  'hear why a tool failed': async (client) => {
    const { isError, content } = await client.callTool('fail');
    equal(`${isError} ${content[0].text}`, 'true no such luck');
  },
  'answer a question in the middle of a call': async (client) => {
    equal((await client.callTool('book')).content[0].text, 'booked for 2');
  },
  'hear progress': async (client) => {
    const heard = [];
    await client.callTool('count', {}, { onProgress: ({ progress }) => heard.push(progress) });
    equal(heard.join(), '1,2,3');
  },
  'give up a call': async (client) => {
    const stop = new AbortController();
    const call = client.callTool('wait', {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 30);
    await call.then(
      () => equal('answered', 'given up'),
      () => undefined,
    );
  },
  'get a large result': async (client) => {
    equal((await client.callTool('large')).content[0].text.length, large.length);
  },
  'read resources and complete a template': async (client) => {
    equal((await client.readResource('note://one')).contents[0].text, 'a note');
    equal((await client.readResource('note://of/friday')).contents[0].text, 'friday');
  },
  'get a prompt': async (client) => {
    equal((await client.getPrompt('greet', { who: 'you' })).messages[0].content.text, 'hi you');
  },
  'make many calls at once': async (client) => {
    const calls = Array.from({ length: 50 }, () => client.callTool('shout', { word: 'all' }));
    equal((await Promise.all(calls)).filter(({ isError }) => isError === true).length, 0);
  },
};

/** How a client answers what it is asked. */
export const answers = {
  onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
  onSample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: '2' } }),
};

/**
 * Runs every step with a client of every revision that `open` can open.
 *
 * @param way How the client reaches the server, for the report.
 * @param open Connects with the options given.
 */
export async function exercise(way, open, chosen = revisions) {
  const results = [];
  const record = (revision, step, run) =>
    inTime(run).then(
      (value) => (results.push({ way, revision, step }), value),
      (error) => void results.push({ way, revision, step, error: describe(error) }),
    );
  for (const revision of chosen) {
    const client = await record(revision, 'connect', () => open({ ...answers, revisions: [revision] }));
    if (client === undefined) continue;
    for (const [step, run] of Object.entries(steps)) await record(revision, step, () => run(client));
    await record(revision, 'close', () => client.close());
  }
  return results;
}

/** A change of a list reaches a client that subscribed. */
export async function change(way, server, open, chosen = ['2025-11-25', '2026-07-28']) {
  const results = [];
  for (const revision of chosen) {
    try {
      await inTime(async () => {
        const client = await open({ ...answers, revisions: [revision] });
        let heard;
        const told = new Promise((resolve) => (heard = resolve));
        const subscription = await client.subscribe({ tools: true }, heard);
        const added = server.tool(`added in ${revision}`.replaceAll(/[^a-z0-9]/g, '_'), {}, () => 'new');
        await told;
        added.remove();
        await subscription.close();
        await client.close();
      });
      results.push({ way, revision, step: 'hear that a list changed' });
    } catch (error) {
      results.push({ way, revision, step: 'hear that a list changed', error: describe(error) });
    }
  }
  return results;
}

/** In this process: in memory, and by `Request` and `Response` alone. */
export async function exerciseWithin() {
  const handler = createHandler(exampleServer());
  const served = (options) =>
    connect('http://127.0.0.1/mcp', { ...options, fetch: (url, init) => handler(new Request(url, init)) });
  return [
    ...(await exercise('in memory', ({ revisions: [revision], ...options }) =>
      connectInMemory(exampleServer(), { ...options, revision }),
    )),
    ...(await exercise('Request to Response', served, revisions.slice(1))),
    ...(await exerciseGuardedWithin()),
  ];
}

/** Over a URL where `exampleServer` is served. */
export async function exerciseUrl(way, url, server) {
  const open = (options) => connect(url, options);
  const results = await exercise(way, open, revisions.slice(1));
  return server === undefined ? results : [...results, ...(await change(way, server, open))];
}

/** The line by which the program that started this one learns what came of it. */
export function report(results) {
  console.log(`results ${JSON.stringify(results)}`);
}

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} for ${JSON.stringify(expected)}`);
}

async function inTime(run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('not done within 15 seconds')), 15_000);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error) {
  return String(error?.stack ?? error)
    .split('\n', 2)
    .join(' ')
    .slice(0, 300);
}
