/** Files of the local process: recordings, and the folder of a server that is looked at. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inThisProcess } from '../support/cli-process.ts';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { recordedPlans } from '../../packages/cli/src/commands/inspect/plans.ts';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import type { LensView } from '../../packages/cli/src/inspect/view.ts';
import { readRecording, recordTo } from '../../packages/cli/src/recorder/file.ts';
import { spawnNode } from '../support/programs.ts';
import { connected, inspecting, noPage, outcomeOf, planAt, rowsOf, served } from '../support/inspected.ts';
import { root } from '../support/sources.ts';

const skip = noPage;

test('a server is started anew when its files change, and what is new in it is marked', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'server.mjs');
  const source = (tools: readonly string[]): string => `
    import { createServer } from ${JSON.stringify(pathToFileURL(join(root, 'packages/parley/dist/server.js')).href)};
    import { serveStdio } from ${JSON.stringify(pathToFileURL(join(root, 'packages/parley/dist/stdio.js')).href)};
    const server = createServer({ name: 'changes', version: '1' });
    for (const name of ${JSON.stringify(tools)}) server.tool(name, {}, () => 'x');
    serveStdio(server);`;
  await writeFile(script, source(['one']));
  const scene = await inspecting(t, [
    planAt('http://127.0.0.1:1', {
      kind: 'stdio',
      folder,
      reach: ({ onStderr, killTimeoutMs }) => Promise.resolve(spawnNode([script], { onStderr, killTimeoutMs })),
    }),
  ]);
  await connected(scene);
  await scene.json('lists', { server: 'A' });
  await mkdir(join(folder, 'node_modules'));
  await writeFile(join(folder, 'node_modules/x.js'), '');
  await writeFile(script, source(['one', 'two']));
  await scene.line('logs', ({ logs }) => logs.some(({ text }) => text.startsWith('restarted')));
  await scene.line('server', ({ server }) => server.state === 'connected' && server.version > 1);
  await scene.json('lists', { server: 'A' });
  const { server } = await scene.line('server', (line) => line.server.news.length > 0);
  assert.deepEqual(server.news, ['tools two']);
});

test('a call that runs may end before its server is started anew', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  const flags = await mkdtemp(join(tmpdir(), 'inspect-'));
  for (const made of [folder, flags]) t.after(() => rm(made, { recursive: true, force: true }));
  const script = join(folder, 'server.mjs');
  const flag = join(flags, 'end');
  await writeFile(
    script,
    `
    import { existsSync } from 'node:fs';
    import { createServer } from ${JSON.stringify(pathToFileURL(join(root, 'packages/parley/dist/server.js')).href)};
    import { serveStdio } from ${JSON.stringify(pathToFileURL(join(root, 'packages/parley/dist/stdio.js')).href)};
    const server = createServer({ name: 'slow', version: '1' });
    server.tool('slow', {}, async () => {
      while (!existsSync(${JSON.stringify(flag)})) await new Promise((resolve) => setTimeout(resolve, 20));
      return 'it ended by itself';
    });
    serveStdio(server);`,
  );
  const reach: ServerPlan['reach'] = ({ onStderr, killTimeoutMs }) =>
    Promise.resolve(spawnNode([script], { onStderr, killTimeoutMs }));
  const plan = planAt('http://127.0.0.1:1', { kind: 'stdio', folder, reach });
  // As long as it takes: the time by default is a second.
  const scene = await inspecting(t, [plan], { graceMs: 60_000 });
  await connected(scene);
  const outcome = outcomeOf(scene, { name: 'slow' });
  await scene.line('rows', ({ rows }) => rows.some(({ what }) => what === 'tools/call'));
  await writeFile(join(folder, 'other.mjs'), '');
  await scene.line('logs', ({ logs }) => logs.some(({ text }) => text.startsWith('restarted')));
  await writeFile(flag, '');
  assert.match(JSON.stringify(await outcome), /it ended by itself/);
  await scene.line('server', ({ server }) => server.state === 'connected' && server.version > 1);
});

test('a server that writes a file at each start is not started for ever', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'server.mjs');
  await writeFile(
    script,
    `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(join(folder, 'app.log'))}, String(process.pid));
    process.stdin.resume();`,
  );
  const scene = await inspecting(t, [
    planAt('http://127.0.0.1:1', {
      kind: 'stdio',
      folder,
      reach: ({ onStderr }) => Promise.resolve(spawnNode([script], { onStderr, killTimeoutMs: 100 })),
    }),
  ]);
  await writeFile(join(folder, 'note.txt'), 'a person');
  await scene.line('logs', ({ logs }) =>
    logs.some(({ text }) => text.startsWith('not restarted any more for app.log')),
  );
  const restarts = (): number =>
    scene.lines
      .flatMap((line) => (line.kind === 'logs' ? line.logs : []))
      .filter(({ text }) => text.startsWith('restarted')).length;
  const before = restarts();
  await writeFile(join(folder, 'app.log'), 'more');
  await writeFile(script, 'process.stdin.resume();');
  await scene.line('logs', () => restarts() > before);
  assert.ok(before <= 4, `${before} restarts`);
});

test('whatever crosses any server is recorded from the beginning', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'all.ndjson');
  const file = await recordTo(path);
  const url = await served(t, createExampleServer());
  const scene = await inspecting(t, [planAt(url)], { begun: (log) => file.add(log) });
  await connected(scene);
  await scene.json('add', { url });
  await scene.line('server', ({ server }) => server.id === 'B' && server.state === 'connected' && server.version > 0);
  const { text } = await scene.json<{ readonly text: string }>('export', { what: 'recording' });
  await scene.close();
  await file.close();
  const { entries } = await readRecording(path);
  const saved = text.trim().split('\n').slice(1);
  const kept = new Set(entries.map(({ sequence, server }) => `${server} ${sequence}`));
  assert.ok(saved.length > 4);
  for (const line of saved) {
    const { server, sequence } = JSON.parse(line) as { readonly server: string; readonly sequence: number };
    assert.ok(kept.has(`${server} ${sequence}`), line);
  }
});

test('what cannot be begun leaves nothing open', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'many.json');
  const names = Array.from({ length: 17 }, (_, at) => [`s${at}`, { url: 'http://127.0.0.1:9/mcp' }]);
  await writeFile(file, JSON.stringify({ mcpServers: Object.fromEntries(names) }));
  const many = await inThisProcess(['inspect', '--no-open', '--config', file]);
  assert.deepEqual([many.code, /17 servers are too many/.test(many.stderr)], [2, true]);
  const unwritten = await inThisProcess(['inspect', '--no-open', '--record', folder]);
  assert.deepEqual([unwritten.code, /EISDIR/.test(unwritten.stderr)], [1, true]);
});

test('what was saved is shown again, and nothing is connected to', { skip }, async (t) => {
  const first = await inspecting(t, [planAt(await served(t, createExampleServer()))]);
  await connected(first);
  await outcomeOf(first, { name: 'forecast', text: '{"city":"Oslo"}' });
  const { text } = await first.json<{ readonly text: string }>('export', { what: 'recording' });
  const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'saved.ndjson');
  await writeFile(file, text);
  const plans = await recordedPlans(file);
  const again = await inspecting(t, plans);
  const { server } = await again.line('server');
  assert.deepEqual([server.state, server.kind], ['recording', 'recording']);
  await again.line('rows');
  assert.equal(rowsOf(again).length, text.trim().split('\n').length - 1);
  const answer = rowsOf(again).find(({ what, kind }) => what === 'tools/call' && kind === 'result');
  const lens = await again.json<LensView>('lens', { n: answer?.n, revision: '2024-11-05' });
  assert.equal(lens.kind, 'arrives');
  await again.json('connect', { server: 'A' });
  assert.equal((await again.post('lists', { server: 'A' })).status, 409);
  await writeFile(file, 'nonsense');
  await assert.rejects(recordedPlans(file), /cannot be read/);
});
