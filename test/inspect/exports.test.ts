/** What is copied and saved, used: lines that a shell runs, and a transcript that is played. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { revisionOf } from '../../packages/parley/src/protocol/revision.ts';
import { parseTranscripts } from '../../packages/parley/src/testing/transcript.ts';
import {
  connected,
  inspecting,
  noPage,
  outcomeOf,
  planAt,
  rowsOf,
  served,
  type InspectedScene,
} from '../support/inspected.ts';
import { parley } from '../support/cli-process.ts';
import { play } from '../support/play.ts';
import { httpWire } from '../support/wires.ts';

const skip = noPage;

/** Runs a line of a shell, in which `parley` is the one under test. */
function shell(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = `parley() { '${process.execPath}' --disable-warning=ExperimentalWarning '${parley}' "$@"; }`;
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', `${command}\n${line}`], { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stderr}`)),
    );
  });
}

async function calledAt(t: TestContext, revision: string): Promise<InspectedScene> {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))], { revision });
  await connected(scene);
  await scene.json('lists', { server: 'A' });
  await outcomeOf(scene, { name: 'add', text: '{"a": 1.50, "b": 2}' });
  for (const message of ['<word>', '<<word>'])
    await outcomeOf(scene, { name: 'echo', text: JSON.stringify({ message }) });
  await outcomeOf(scene, { name: 'echo', text: JSON.stringify({ message: `it's "quoted" $HOME \`x\` \\ ü` }) });
  return scene;
}

/** Lines of the request that calls a tool. */
async function linesOf(
  scene: InspectedScene,
  about: string,
): Promise<{ readonly curl?: string; readonly line?: string }> {
  const row = rowsOf(scene).findLast((one) => one.what === 'tools/call' && one.about === about);
  return await scene.json('entry', { n: row?.n });
}

for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28']) {
  test(`a call that is copied as curl is made by curl (${revision})`, { skip }, async (t) => {
    const scene = await calledAt(t, revision);
    const { curl = '' } = await linesOf(scene, 'echo');
    // A session is no secret to whoever has the page; it is filled in by hand.
    const session = rowsOf(scene).find(({ what }) => what.startsWith('POST'));
    const { entry } = await scene.json<{
      readonly entry: { readonly http?: { readonly headers?: Record<string, string> } };
    }>('entry', { n: (rowsOf(scene).findLast((one) => one.about === 'echo') ?? session)?.n, reveal: true });
    const answer = await shell(curl, { MCP_SESSION_ID: entry.http?.headers?.['mcp-session-id'] ?? '' });
    assert.match(answer, /it's \\"quoted\\" \$HOME `x` \\\\ ü/);
  });

  test(`a transcript that is saved is played by the same server (${revision})`, { skip }, async (t) => {
    const scene = await calledAt(t, revision);
    const { text } = await scene.json<{ readonly text: string }>('export', { what: 'transcript' });
    const [transcript] = parseTranscripts(text);
    const date = revisionOf(revision);
    assert.ok(transcript !== undefined && date !== undefined && transcript.lines.length > 6);
    await play(transcript, date, (deliver) => httpWire(createExampleServer(), date, deliver));
  });
}

test(
  'a call that is copied as a line of parley call is made by it, before and after it was made',
  { skip },
  async (t) => {
    const scene = await calledAt(t, '2025-11-25');
    const { line = '' } = await linesOf(scene, 'echo');
    assert.equal((await shell(line)).trim(), `it's "quoted" $HOME \`x\` \\ ü`);
    assert.match((await linesOf(scene, 'add')).line ?? '', /"a":1\.50/);
    const before = await scene.json<{ readonly line: string }>('call-line', {
      server: 'A',
      name: 'add',
      text: '{"a": 12345678901234567890, "b": 1}',
    });
    assert.match(before.line, /"a":12345678901234567890/);
    assert.match(await shell(before.line), /"sum"/);
    assert.equal((await scene.post('call-line', { server: 'A', name: '--login', text: '{}' })).status, 409);
  },
);
