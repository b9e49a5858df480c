/** Servers over HTTP that go away while they are looked at, and come back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerView } from '../../packages/cli/src/inspect/view.ts';
import { scriptedTransport } from '../../packages/parley/src/testing/scripted.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { connected, inspecting, planAt, rowsOf, type InspectedScene } from '../support/inspected.ts';
import { json, oddServer } from '../support/odd-http-server.ts';

const skip = noBrowser;

/** Waits until the server is so, and no longer as it was. */
async function viewWhere(scene: InspectedScene, is: (view: ServerView) => boolean): Promise<ServerView> {
  const isLast = (line: object): boolean => line === scene.lines.findLast(({ kind }) => kind === 'server');
  return (await scene.line('server', (line) => isLast(line) && is(line.server))).server;
}

const isSilent = ({ silent }: ServerView): boolean => silent !== undefined;

test('a server that is gone is silent from the first refused connection, until it answers', { skip }, async (t) => {
  const server = await oddServer(t, () => false);
  const scene = await inspecting(t, [planAt(server.url)]);
  await connected(scene);
  const ping = (): Promise<Response> => scene.post('ping', { server: 'A' });
  assert.equal((await ping()).status, 200);
  await server.down();
  assert.equal((await ping()).ok, false);
  const { silent, state, version } = await viewWhere(scene, isSilent);
  assert.equal(state, 'connected');
  assert.match(silent?.why ?? '', /^no answer came: .*refused/i);
  await scene.line('rows', ({ rows }) => rows.some(({ n }) => n === silent?.row));
  // Nothing is asked only to know.
  const { length } = rowsOf(scene);
  await server.up();
  assert.equal(rowsOf(scene).length, length);
  assert.equal((await ping()).status, 200);
  // It may offer something else now, so that it is looked at anew.
  await viewWhere(scene, (view) => !isSilent(view) && view.version > version);
});

test('a gateway in front of a server is no answer of it, and an error in its words is one', { skip }, async (t) => {
  let answer: 'gateway' | 'words' | 'error' | 'refusal' = 'gateway';
  const server = await oddServer(t, (message, response) => {
    if (message['method'] !== 'ping') return false;
    if (answer === 'refusal') return json(response, { error: 'no' }, 403);
    if (answer === 'words') return json(response, { message: 'service unavailable' }, 503);
    if (answer === 'error')
      return json(response, { jsonrpc: '2.0', id: message['id'], error: { code: -32603, message: 'x' } }, 500);
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    return true;
  });
  const scene = await inspecting(t, [planAt(server.url)]);
  await connected(scene);
  const ping = (): Promise<Response> => scene.post('ping', { server: 'A' });
  for (const [bad, good, why] of [
    ['gateway', 'error', 'status 502, without a message of the protocol'],
    ['words', 'refusal', 'status 503, without a message of the protocol'],
  ] as const) {
    answer = bad;
    await ping();
    assert.equal((await viewWhere(scene, isSilent)).silent?.why, why);
    answer = good;
    await ping();
    assert.equal((await viewWhere(scene, (view) => !isSilent(view))).state, 'connected', good);
  }
});

test(
  'the page says that a server does not answer, asks it by a click, and says that it is back',
  { skip },
  async (t) => {
    const server = await oddServer(t, () => false);
    const { page, scene, accessible } = await openInspect(t, [planAt(server.url)]);
    await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').first().waitFor();
    await server.down();
    await scene.post('ping', { server: 'A' });
    const silence = page.getByRole('region', { name: 'Silence' });
    await silence.getByText(/^Since .*refused/i).waitFor();
    const status = page.getByTestId('connection-status');
    await status.getByText('does not answer').waitFor();
    await page.getByRole('status').getByText('server does not answer').waitFor();
    // The tools are still there to be looked at.
    assert.equal(await page.getByRole('grid', { name: 'tools', exact: true }).getByRole('row').count(), 1);
    await accessible('a server that does not answer');
    await server.up();
    await silence.getByRole('button', { name: 'Ask it now' }).click();
    await page.getByRole('status').getByText('server answers again').waitFor();
    await silence.waitFor({ state: 'detached' });
  },
);

test(
  'a server of an older revision that is silent at first is reached in a short time to connect',
  { skip },
  async (t) => {
    const transport = scriptedTransport('stdio', ({ message }, peer) => {
      if (message['method'] !== 'initialize') return;
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
      peer.send({ jsonrpc: '2.0', id: message['id'], result });
    });
    const wishes = { connectionTimeoutMs: 6_000 };
    const plan = planAt('silent', { kind: 'stdio', wishes, reach: () => Promise.resolve(transport) });
    const scene = await inspecting(t, [plan]);
    const { state, revision } = await viewWhere(scene, (view) => view.state === 'connected' || view.state === 'failed');
    assert.deepEqual([state, revision], ['connected', '2025-06-18']);
  },
);
