/** The servers of the pages about migration say the same before and after it. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { connect } from '../packages/parley/src/client.ts';
import { spawnNode } from './support/programs.ts';

const program = (name: string): URL => new URL(`../examples/migration/${name}.ts`, import.meta.url);

/** What a client sees of a server: what is offered, and what becomes of each use. */
async function seen(t: TestContext, name: string): Promise<Readonly<Record<string, unknown>>> {
  const logs: unknown[] = [];
  let isWilling = true;
  const client = await connect(spawnNode([fileURLToPath(program(name))]), {
    revisions: ['2025-11-25'],
    onElicit: ({ message }) => {
      assert.equal(message, 'How many go to Oslo?');
      return isWilling ? { action: 'accept', content: { people: 2 } } : { action: 'decline' };
    },
    onLog: ({ data }) => void logs.push(data),
  });
  t.after(() => client.close());
  const booked = await client.callTool('book', { city: 'Oslo' });
  isWilling = false;
  const declined = await client.callTool('book', { city: 'Oslo' });
  const wrong = await client.callTool('book', { city: 7 });
  const { contents: listed } = await client.readResource('trips://cities');
  const { contents: matched } = await client.readResource('trips://cities/Oslo');
  const { messages } = await client.getPrompt('plan', { city: 'Oslo' });
  const { completion } = await client.complete(
    { type: 'ref/resource', uri: 'trips://cities/{city}' },
    { name: 'city', value: '' },
  );
  return {
    tools: (await client.listTools()).map(({ name: tool, description, inputSchema }) => [
      tool,
      description,
      inputSchema.properties,
      inputSchema.required,
    ]),
    resources: (await client.listResources()).map(({ uri, name: resource, mimeType }) => [uri, resource, mimeType]),
    templates: (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate),
    prompts: (await client.listPrompts()).map(({ name: prompt, arguments: given }) => [prompt, given]),
    booked: [booked.structuredContent, booked.isError ?? false],
    declined: [declined.content, declined.isError],
    wrong: wrong.isError,
    contents: [...listed, ...matched].map((one) => ('text' in one ? one.text : undefined)),
    messages,
    completion: completion.values,
    logs,
  };
}

test('the server of docs/migration.md says the same before and after it', async (t) => {
  const [before, after] = [await seen(t, 'before'), await seen(t, 'after')];
  assert.deepEqual(after, before);
  assert.deepEqual(after['booked'], [{ number: 102 }, false]);
});

test('the server of docs/how-to/migrate-from-fastmcp.md says the same before and after it', async (t) => {
  const answers = async (name: string): Promise<unknown> => {
    const server = spawnNode([fileURLToPath(program(name))], { stderr: 'ignore' });
    const client = await connect(server, { revisions: ['2025-11-25'] });
    t.after(() => client.close());
    const progress: unknown[] = [];
    const onProgress = (one: { readonly progress: number; readonly total?: number }): void =>
      void progress.push([one.progress, one.total]);
    const call = async (days: number): Promise<unknown> => {
      const { content, isError = false } = await client.callTool('price', { city: 'Oslo', days }, { onProgress });
      return [content, isError];
    };
    return {
      calls: [await call(2), await call(0)],
      progress,
      tools: (await client.listTools()).map(({ name: tool, description, inputSchema }) => [
        tool,
        description,
        inputSchema.required,
      ]),
      contents: (await client.readResource('trips://cities')).contents.map((one) => ('text' in one ? one.text : '')),
      messages: (await client.getPrompt('plan', { city: 'Oslo' })).messages,
    };
  };
  const before = await answers('fastmcp-before');
  assert.deepEqual(await answers('fastmcp-after'), before);
  assert.match(JSON.stringify(before), /2 days in Oslo cost 200/);
});

type Answer = () => ElicitResult;

/** What an official client gets for a call: the kind of answer, and its code where it is an error. */
async function outcome(name: string, tool: string, answer: Answer | undefined): Promise<string> {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, answer);
  const args = [fileURLToPath(program(name))];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  try {
    return (await client.callTool({ name: tool, arguments: { city: 'Oslo' } })).isError === true ? 'words' : 'well';
  } catch (error) {
    return String((error as { readonly code?: unknown }).code);
  } finally {
    await client.close();
  }
}

const fits =
  (people: number | string): Answer =>
  () => ({ action: 'accept', content: { people } });
const failures = {
  'a client that can be asked': ['book', fits(2), 'well', 'well'],
  'a client that cannot be asked': ['book', undefined, 'words', '-32600'],
  'a host that fails': ['book', fails, 'words', '-32603'],
  'an answer that does not fit': ['book', fits('two'), 'words', '-32602'],
  'a tool that does not exist': ['fly', undefined, 'words', '-32602'],
} as const;

function fails(): never {
  throw new Error('the window is closed');
}

for (const [what, [tool, answer, before, after]] of Object.entries(failures))
  test(`the programs of docs/migration.md answer as its table says of ${what}`, async () => {
    assert.deepEqual([await outcome('before', tool, answer), await outcome('after', tool, answer)], [before, after]);
  });

/** What becomes of a call of an official client of 2026-07-28, and how often its host was asked. */
async function newOutcome(tool: string, answer: Answer | undefined): Promise<readonly [string, number]> {
  let asked = 0;
  const client = new NewClient(
    { name: 'host', version: '1' },
    { capabilities: answer ? { elicitation: {} } : {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', () => {
      asked++;
      return answer();
    });
  const args = [fileURLToPath(program('after'))];
  await client.connect(new NewTransport({ command: process.execPath, args, stderr: 'ignore' }));
  try {
    const { isError } = await client.callTool({ name: tool, arguments: { city: 'Oslo' } });
    return [isError === true ? 'words' : 'well', asked];
  } catch (error) {
    const { code, message } = error as { readonly code?: number | string; readonly message: string };
    return [String(code ?? message), asked];
  } finally {
    await client.close();
  }
}

const newFailures = {
  'a client that can be asked': ['book', fits(2), 'well', 1],
  'a client that cannot be asked': ['book', undefined, '-32021', 0],
  'a host that fails, of which the server hears nothing': ['book', fails, 'the window is closed', 1],
  'an answer that does not fit, which is asked for again': ['book', fits('two'), 'INPUT_REQUIRED_ROUNDS_EXCEEDED', 10],
  'a tool that does not exist': ['fly', undefined, '-32602', 0],
} as const;

for (const [what, [tool, answer, becomes, asked]] of Object.entries(newFailures))
  test(`the program of docs/migration.md answers a client of 2026-07-28 as its table says of ${what}`, async () => {
    assert.deepEqual(await newOutcome(tool, answer), [becomes, asked]);
  });

test('a client of ours sends no answer that does not fit, as docs/migration.md says', async () => {
  let asked = 0;
  const client = await connect(spawnNode([fileURLToPath(program('after'))]), {
    revisions: ['2026-07-28'],
    onElicit: () => {
      asked++;
      return { action: 'accept', content: { people: 'two' } };
    },
  });
  await assert.rejects(client.callTool('book', { city: 'Oslo' }), TypeError);
  assert.equal(asked, 1);
  await client.close();
});
