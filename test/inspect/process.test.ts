/** What the page asks of its process, and hears of it. */

import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import type { Client } from '../../packages/parley/src/client/api/client.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import type { EntryView, LensView, ListsView, LossesView } from '../../packages/cli/src/inspect/view.ts';
import { connected, inspecting, noPage, outcomeOf, planAt, rowsOf, served } from '../support/inspected.ts';

const skip = noPage;

test('a server is listed, called, and shown in every revision through the lens', { skip }, async (t) => {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))]);
  await connected(scene);
  const lists = await scene.json<ListsView>('lists', { server: 'A' });
  assert.ok(
    lists.tools.length > 5 && lists.prompts.length > 0 && lists.resources.length > 0 && lists.templates.length > 0,
  );
  assert.deepEqual(lists.problems, {});
  const { result, problems } = await outcomeOf(scene, { name: 'forecast', text: '{"city":"Oslo"}' });
  assert.deepEqual(problems, []);
  assert.match(JSON.stringify(result?.['structuredContent']), /Oslo/);
  await scene.line('rows', ({ rows }) => rows.some(({ what, kind }) => what === 'tools/call' && kind === 'result'));
  const rows = rowsOf(scene);
  const answer = rows.find(({ what, kind }) => what === 'tools/call' && kind === 'result');
  const request = rows.find(({ n }) => n === answer?.pair);
  assert.equal(request?.kind, 'request');
  for (const row of rows) assert.ok(JSON.stringify(row).length < 400 && row.broken === undefined, JSON.stringify(row));
  const { entry, curl, line } = await scene.json<EntryView>('entry', { n: request?.n });
  assert.match(String(entry['text']), /"forecast"/);
  assert.match(curl ?? '', /^curl .*-X POST/);
  assert.match(line ?? '', /^parley call http\S+ forecast --json/);
  const old = await scene.json<LensView>('lens', { n: answer?.n, revision: '2024-11-05' });
  assert.equal(old.kind, 'arrives');
  assert.ok(old.changes.some(({ path }) => path.startsWith('.structuredContent')));
  assert.doesNotMatch(JSON.stringify(old.right), /structuredContent|resultType/);
  const { losses } = await scene.json<{ readonly losses: readonly LossesView[] }>('losses', { server: 'A' });
  assert.equal(losses.length, 5);
});

test('arguments that do not fit are told of at their places, and sent all the same', { skip }, async (t) => {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))]);
  await connected(scene);
  const problemsOf = async (text: string): Promise<readonly { readonly path: string }[]> =>
    (
      await scene.json<{ readonly problems: readonly { readonly path: string }[] }>('validate', {
        server: 'A',
        tool: 'forecast',
        text,
      })
    ).problems;
  assert.deepEqual(await problemsOf('{"city":"Oslo"}'), []);
  assert.deepEqual(
    (await problemsOf('{"city":"Oslo","days":"x"}')).map(({ path }) => path),
    ['/days'],
  );
  assert.equal((await problemsOf('{"city"')).length, 1);
  const { result, error } = await outcomeOf(scene, { name: 'forecast', text: '{"days":"x"}' });
  assert.ok(error !== undefined || result?.['isError'] === true);
});

test(
  'a server that does not speak the newest revision breaks nothing by saying so in its own way',
  { skip },
  async (t) => {
    const server = createHttpServer((request, response) => {
      request.resume();
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => void server.close());
    // A server that listens on a port has the address of one.
    const { port } = server.address() as AddressInfo;
    const scene = await inspecting(t, [planAt(`http://127.0.0.1:${port}/mcp`)]);
    await scene.line('server', (line) => line.server.state === 'failed');
    assert.deepEqual(
      rowsOf(scene).filter(({ broken }) => broken !== undefined),
      [],
    );
  },
);

test('numbers are sent as they were typed', { skip }, async (t) => {
  const server = createServer({ name: 'numbers', version: '1' });
  server.tool('take', { input: { type: 'object', properties: { n: { type: 'number' } } } }, () => 'taken');
  const scene = await inspecting(t, [planAt(await served(t, server))]);
  await connected(scene);
  await outcomeOf(scene, { name: 'take', text: '{"n":1.0,"m":12345678901234567890}' });
  const { found } = await scene.json<{ readonly found: readonly number[] }>('search', { text: '12345678901234567890' });
  const { entry } = await scene.json<EntryView>('entry', { n: found.at(-1) });
  assert.match(String(entry['text']), /"n":1\.0,"m":12345678901234567890/);
});

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`a question waits for the person, and its answer reaches the tool (${revision})`, { skip }, async (t) => {
    const server = createServer({ name: 'asks', version: '1' });
    server.tool('ask', {}, async (_, context) => {
      const { action, content } = await context.elicit({
        message: 'Who?',
        schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      });
      return `${action} ${JSON.stringify(content)}`;
    });
    const scene = await inspecting(t, [planAt(await served(t, server))], { revision });
    await connected(scene);
    const outcome = outcomeOf(scene, { name: 'ask' });
    const { question } = await scene.line('question');
    assert.deepEqual([question.kind, question.during, question.isRound], ['form', 'ask', revision === '2026-07-28']);
    const judged = await scene.json<{ readonly problems: readonly object[] }>('validate-answer', {
      question: question.id,
      text: '{}',
    });
    assert.equal(judged.problems.length, 1);
    await scene.json('answer', { question: question.id, action: 'accept', text: '{"name":"Ann"}' });
    assert.match(JSON.stringify((await outcome).result), /accept \{.*Ann/);
    await scene.line('answered', ({ id }) => id === question.id);
    assert.equal((await scene.post('answer', { question: question.id, action: 'decline' })).status, 410);
    // Who types may hear of the end after the last key.
    assert.equal((await scene.post('validate-answer', { question: question.id, text: '{}' })).status, 200);
    // Nothing was wrong with what the server sent.
    assert.deepEqual(
      rowsOf(scene).filter(({ broken }) => broken !== undefined),
      [],
    );
  });

test('a call is cancelled, and a server that is away says what was tried', { skip }, async (t) => {
  const server = createServer({ name: 'slow', version: '1' });
  let isAborted = false;
  server.tool('wait', {}, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    isAborted = true;
    return 'never';
  });
  const scene = await inspecting(t, [planAt(await served(t, server)), planAt('http://127.0.0.1:9/mcp')]);
  await connected(scene);
  const { call } = await scene.json<{ readonly call: number }>('call', {
    server: 'A',
    kind: 'tool',
    name: 'wait',
    text: '',
  });
  await scene.line('rows', ({ rows }) => rows.some(({ what }) => what === 'tools/call'));
  await scene.json('cancel', { call });
  await scene.line('call', (line) => line.call.id === call && line.call.state === 'cancelled');
  const failed = await scene.line('server', (line) => line.server.id === 'B' && line.server.state === 'failed');
  assert.match(failed.server.problem ?? '', /127\.0\.0\.1:9/);
  assert.match(failed.server.advice ?? '', /Nothing answers/);
  assert.ok((failed.server.steps ?? []).length > 0);
  while (!isAborted) await new Promise((resolve) => setImmediate(resolve));
});

test('secrets stand in no row, entry, export or search unless they are revealed', { skip }, async (t) => {
  const url = await served(t, createExampleServer());
  const secrets = ['configured-secret-value-1', 'bearer-secret-value-2'];
  const plan = planAt(url, { secrets });
  const scene = await inspecting(t, [
    {
      ...plan,
      reach: (settings) =>
        plan.reach({
          ...settings,
          fetch: (to, request) =>
            settings.fetch(to, {
              ...request,
              headers: { ...request.headers, 'x-api-key': secrets[0] ?? '', authorization: `Bearer ${secrets[1]}` },
            }),
        }),
    },
  ]);
  await connected(scene);
  await outcomeOf(scene, { name: 'echo', text: `{"message":"${secrets.join(' and ')}"}` });
  const all = JSON.stringify(scene.lines);
  const exports = await Promise.all(
    ['recording', 'transcript', 'har'].map((what) => scene.json<{ readonly text: string }>('export', { what })),
  );
  const entries = await Promise.all(rowsOf(scene).map(({ n }) => scene.json<EntryView>('entry', { n })));
  for (const secret of secrets) {
    assert.ok(!all.includes(secret));
    assert.ok(!JSON.stringify(exports).includes(secret));
    assert.ok(!JSON.stringify(entries).includes(secret));
    const { found } = await scene.json<{ readonly found: readonly number[] }>('search', { text: secret });
    assert.deepEqual(found, []);
  }
  const hidden = entries.find(({ hides }) => hides);
  const revealed = await scene.json<EntryView>('entry', { n: hidden?.n, reveal: true });
  // What authorizes is never kept; what was configured is hidden, and can be looked at.
  assert.ok(
    JSON.stringify(revealed).includes(secrets[0] ?? '') && !JSON.stringify(revealed).includes(secrets[1] ?? ''),
  );
});

test('whoever connects again and again leaves one conversation, and no other', { skip }, async (t) => {
  const server = createServer({ name: 'sessions', version: '1' });
  server.tool('x', {}, () => 'x');
  const url = await served(t, server);
  const open: Client[] = [];
  const closed: Client[] = [];
  const scene = await inspecting(t, [planAt(url)], {
    async open(transport, options) {
      const client = await connect(transport, options);
      open.push(client);
      void client.closed.then(() => closed.push(client));
      return client;
    },
  });
  await Promise.all(
    ['2025-06-18', 'auto', '2025-11-25'].map((revision) => scene.json('connect', { server: 'A', revision })),
  );
  await scene.line('server', (line) => line.server.state === 'connected' && line.server.revision === '2025-11-25');
  while (closed.length < open.length - 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(open.length - closed.length, 1);
  await scene.json('disconnect', { server: 'A' });
  await scene.line('server', (line) => line.server.state === 'closed');
});

test('requests about authorization are rows too, without what they give', { skip }, async (t) => {
  const plan = planAt(await served(t, createExampleServer()));
  const scene = await inspecting(t, [
    {
      ...plan,
      async reach(settings) {
        const give = settings.overheard(() =>
          Promise.resolve(Response.json({ access_token: 'given-token-value', token_type: 'Bearer', scope: 'read' })),
        );
        const response = await give('https://issuer.example/token', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=authorization_code&code=secret-code-value&code_verifier=secret-verifier-value',
          redirect: 'error',
          credentials: 'omit',
          signal: AbortSignal.timeout(10_000),
        });
        const reader = response.body?.getReader();
        while ((await reader?.read())?.done === false);
        return await plan.reach(settings);
      },
    },
  ]);
  await connected(scene);
  const rows = rowsOf(scene).filter(({ lane }) => lane === 'auth');
  assert.deepEqual(
    rows.map(({ what, status }) => [what, status]),
    [
      ['POST /token', undefined],
      [rows[1]?.what, 200],
    ],
  );
  const entries = await Promise.all(rows.map(({ n }) => scene.json<EntryView>('entry', { n, reveal: true })));
  assert.match(JSON.stringify(entries), /grant_type=authorization_code.*"scope\\\\?":/);
  assert.doesNotMatch(JSON.stringify([scene.lines, entries]), /given-token|secret-code|secret-verifier/);
});

test('with --read-only no tool is called', { skip }, async (t) => {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))], { isReadOnly: true });
  await connected(scene);
  for (const kind of ['tool', 'task']) {
    const response = await scene.post('call', { server: 'A', kind, name: 'echo', text: '{"message":"x"}' });
    assert.equal(response.status, 403);
  }
  const { call } = await scene.json<{ readonly call: number }>('call', {
    server: 'A',
    kind: 'prompt',
    name: 'postcard',
    text: '{"city":"Oslo"}',
  });
  assert.equal(typeof call, 'number');
});

test('a page that comes back hears the rows that it has not', { skip }, async (t) => {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))]);
  await connected(scene);
  await scene.json('lists', { server: 'A' });
  const { version } = await scene.line('rows', ({ rows }) =>
    rows.some(({ what }) => what === 'resources/templates/list'),
  );
  const known = rowsOf(scene, version).map((row) => JSON.stringify(row));
  const response = await scene.post('feed', { since: version });
  const reader = response.body?.getReader();
  await outcomeOf(scene, { name: 'forecast', text: '{"city":"Oslo"}' });
  let text = '';
  while (!text.includes('"what":"tools/call"')) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  assert.ok(known.length > 0);
  // One that has changed since is told again.
  for (const row of known) assert.ok(!text.includes(row), row);
});

test('a page too many is told so, in words', { skip }, async (t) => {
  const scene = await inspecting(t, []);
  const pages = await Promise.all(Array.from({ length: 8 }, () => scene.post('feed')));
  const refused = pages.filter(({ status }) => status === 429);
  assert.equal(refused.length, 1);
  assert.match(await (refused[0] ?? assert.fail()).text(), /close one of them/);
  for (const page of pages) if (!page.bodyUsed) await page.body?.cancel();
});

test('a resource is watched, and its update is told', { skip }, async (t) => {
  const server = createServer({ name: 'changes', version: '1' });
  server.tool('old', {}, () => 'x');
  server.resource('file:///a', { name: 'a' }, () => 'text');
  const scene = await inspecting(t, [planAt(await served(t, server))]);
  await connected(scene);
  await scene.json('watch', { server: 'A', uri: 'file:///a', on: true });
  await scene.line('server', (line) => line.server.watched.includes('file:///a'));
  server.resourceUpdated('file:///a');
  await scene.line('updated', ({ uri }) => uri === 'file:///a');
  const { server: before } = await scene.line('server');
  server.tool('new', {}, () => 'x');
  await scene.line('server', (line) => line.server.version > before.version);
});

test('two quick clicks watch a resource once, and the last of several clicks holds', { skip: noPage }, async (t) => {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))], { revision });
    await connected(scene);
    const { resources } = await scene.json<ListsView>('lists', { server: 'A' });
    const uri = String(resources[0]?.['uri']);
    const watch = (on: boolean): Promise<object> => scene.json('watch', { server: 'A', uri, on });
    const subscribed = (): number =>
      rowsOf(scene).filter(({ what, from, kind }) => from === 'client' && kind === 'request' && /subscri/.test(what))
        .length;
    await setTimeout(200);
    const before = subscribed();
    await Promise.all([watch(true), watch(true)]);
    while (subscribed() === before) await setTimeout(20);
    await setTimeout(200);
    assert.equal(subscribed(), before + 1, revision);
    await Promise.all([watch(false), watch(true), watch(false)]);
    await scene.line('server', ({ server }) => server.watched.length === 0);
  }
});

test('wishes of a file are kept: roots, metadata, times and pages', { skip }, async (t) => {
  const server = createServer({ name: 'wishes', version: '1' }, { pageSize: 1 });
  server.tool('one', {}, (_, context) => JSON.stringify(context.meta));
  server.tool('two', { task: 'required' }, () => 'done');
  server.tool('slow', {}, async (_, context) => {
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    return 'never';
  });
  const wishes = {
    roots: [{ uri: 'file:///srv' }],
    metadata: { 'example.com/team': 'blue' },
    requestTimeoutMs: 3_000,
    taskTtlMs: 12_345,
    pagesByOne: true,
  };
  const scene = await inspecting(t, [planAt(await served(t, server), { wishes })]);
  await connected(scene);
  const { server: view } = await scene.line('server', (line) => line.server.state === 'connected');
  assert.deepEqual([view.roots, view.pagesByOne], [wishes.roots, true]);
  const lists = await scene.json<ListsView>('lists', { server: 'A' });
  assert.deepEqual([lists.tools.length, lists.pages.tools?.hasMore], [1, true]);
  assert.match(JSON.stringify(await outcomeOf(scene, { name: 'one' })), /blue/);
  assert.match((await outcomeOf(scene, { name: 'slow' })).error?.message ?? '', /3000 ms/);
  await outcomeOf(scene, { name: 'two', kind: 'task' });
  const recorded = await scene.json<{ readonly text: string }>('export', { what: 'recording' });
  assert.match(recorded.text, /tools\/list[^\n]*example\.com\/team/);
});
