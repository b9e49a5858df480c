/** Servers that repeat what they were sent, wherever they may say something: none of it reaches a page. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import type { ListsView } from '../../packages/cli/src/inspect/view.ts';
import { connected, inspecting, noPage, outcomeOf, planAt, type InspectedScene } from '../support/inspected.ts';
import { speaking, type Reply } from '../support/speaking.ts';

const skip = noPage;
const secret = 'echoed-0123456789-secret';

const initialized = {
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
    serverInfo: { name: `name ${secret}`, version: '1' },
    instructions: `say ${secret}`,
  },
};

const tool = {
  name: `tool-${secret}`,
  description: `takes ${secret}`,
  inputSchema: { type: 'object', properties: { a: { type: 'string', default: secret } } },
};

const repeating: Reply = (method, params) => {
  switch (method) {
    case 'initialize':
      return initialized;
    case 'tools/list':
      return { result: { tools: [tool] } };
    case 'prompts/list':
      return { result: { prompts: [] } };
    case 'resources/templates/list':
    case 'resources/list':
      return { error: { code: -32603, message: `not with ${secret}` } };
    case 'completion/complete':
      return JSON.stringify(params).includes('refuse')
        ? { error: { code: -32602, message: `no ${secret}` } }
        : { result: { completion: { values: [secret] } } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: `${String(params['name'])} ${secret}` }] } };
    default:
      return { result: {} };
  }
};

/** A plan whose requests are authorized by the secret. */
function authorized(url: string): ServerPlan {
  const plan = planAt(url);
  return {
    ...plan,
    reach: (settings) =>
      plan.reach({
        ...settings,
        fetch: (to, request) =>
          settings.fetch(to, { ...request, headers: { ...request.headers, authorization: `Bearer ${secret}` } }),
      }),
  };
}

async function texts(scene: InspectedScene, bodies: readonly (readonly [string, object])[]): Promise<string> {
  const answers = await Promise.all(bodies.map(([verb, body]) => scene.post(verb, { server: 'A', ...body })));
  return (await Promise.all(answers.map((answer) => answer.text()))).join('\n');
}

test('what a server repeats of a token stands in no list, view, completion or refusal', { skip }, async (t) => {
  const scene = await inspecting(t, [authorized(await speaking(t, repeating))]);
  await connected(scene);
  const ref = { type: 'ref/prompt', name: 'x' };
  const told = await texts(scene, [
    ['lists', {}],
    ['complete', { ref, argument: 'a', typed: 'x' }],
    ['complete', { ref, argument: 'a', typed: 'refuse' }],
    ['losses', {}],
  ]);
  assert.match(told, /"values":\["•••"\]/);
  assert.match(told, /no •••/);
  assert.equal(told.includes(secret), false, told);
  assert.equal(JSON.stringify(scene.lines).includes(secret), false);
});

test('a tool whose name holds a secret is called by the name that the page was given', { skip }, async (t) => {
  const scene = await inspecting(t, [authorized(await speaking(t, repeating))]);
  await connected(scene);
  const { tools } = await scene.json<ListsView>('lists', { server: 'A' });
  assert.equal(tools[0]?.['name'], 'tool-•••');
  const { result } = await outcomeOf(scene, { name: 'tool-•••' });
  assert.deepEqual(result, { content: [{ type: 'text', text: 'tool-••• •••' }] });
  assert.equal(JSON.stringify(scene.lines).includes(secret), false);
});

test('a question that repeats a token shows it to nobody, and is answered', { skip }, async (t) => {
  const scene = await inspecting(t, [authorized(await asking(t))], { revision: '2026-07-28' });
  await connected(scene);
  const outcome = outcomeOf(scene, { name: 'ask' });
  const { question } = await scene.line('question');
  assert.equal(question.params['message'], 'Is it •••?');
  await scene.json('answer', { question: question.id, action: 'accept', text: '{}' });
  assert.deepEqual((await outcome).result?.['content'], []);
  assert.equal(JSON.stringify(scene.lines).includes(secret), false);
});

function asking(t: TestContext): Promise<string> {
  const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  return speaking(t, (method, params) => {
    if (method === 'server/discover')
      return { result: { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } };
    if (method === 'tools/list')
      return { result: { ...complete, tools: [{ name: 'ask', inputSchema: { type: 'object' } }] } };
    if (params['inputResponses'] !== undefined) return { result: { ...complete, content: [] } };
    const form = { mode: 'form', message: `Is it ${secret}?`, requestedSchema: { type: 'object', properties: {} } };
    return {
      result: { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: form } } },
    };
  });
}

test('a result of 12 MB behind a key that is named like a secret ends nothing', { skip }, async (t) => {
  const url = await speaking(t, (method, params) =>
    method === 'tools/call'
      ? { result: { content: [], structuredContent: { signedDocument: 'A'.repeat(12_000_000) } } }
      : repeating(method, params),
  );
  const scene = await inspecting(t, [planAt(url)]);
  await connected(scene);
  const { result } = await outcomeOf(scene, { name: tool.name });
  assert.deepEqual(result, { content: [], structuredContent: { signedDocument: '•••' } });
});
