/** Any request: written by hand, or one of before that is sent once more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExampleServer } from '../../packages/cli/src/commands/example/server.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import type { InspectOptions } from '../../packages/cli/src/inspect/serve.ts';
import type { OutcomeView } from '../../packages/cli/src/inspect/view.ts';
import { takeViolations } from '../setup.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { inspecting, planAt, served, type InspectedScene } from '../support/inspected.ts';

async function before(
  t: Parameters<typeof inspecting>[0],
  more: Partial<InspectOptions> = {},
): Promise<InspectedScene> {
  const scene = await inspecting(t, [planAt(await served(t, createExampleServer()))], more);
  await scene.line('server', ({ server }) => server.state === 'connected');
  return scene;
}

async function sent(scene: InspectedScene, name: string, text: string): Promise<OutcomeView> {
  const { call: id } = await scene.json<{ readonly call: number }>('call', {
    server: 'A',
    kind: 'request',
    name,
    text,
  });
  await scene.line('call', ({ call }) => call.id === id && call.state !== 'running');
  const { outcome } = await scene.json<{ readonly outcome: OutcomeView }>('outcome', { call: id });
  return outcome;
}

for (const { date: revision } of revisions)
  test(`any request goes out as it is written, and what comes is shown as it came (${revision})`, async (t) => {
    const scene = await before(t);
    await scene.json('connect', { server: 'A', revision });
    await scene.line('server', ({ server }) => server.state === 'connected' && server.revision === revision);
    const echoed = await sent(
      scene,
      'tools/call',
      '{"name":"echo","arguments":{"message":"by hand"},"_meta":{"own":1}}',
    );
    assert.deepEqual(echoed.result?.['content'], [{ type: 'text', text: 'by hand' }]);
    const listed = await sent(scene, 'prompts/list', '{}');
    assert.ok(Array.isArray(listed.result?.['prompts']));
    const unknown = await sent(scene, 'com.example/nothing', '{"a":1}');
    assert.equal(unknown.error?.code, -32601);
    const wrong = await sent(scene, 'tools/call', '{"arguments":7}');
    assert.equal(wrong.error?.code, -32602);
    // It went out as wrong as it was written.
    assert.equal(takeViolations().length, 1);
  });

test('where tools are not called, only what changes nothing goes out by hand', async (t) => {
  const scene = await before(t, { isReadOnly: true });
  const wanted = { server: 'A', kind: 'request', text: '{}' };
  for (const name of ['tools/call', 'tasks/cancel', 'com.example/delete', 'Tools/List'])
    assert.equal((await scene.post('call', { ...wanted, name })).status, 403, name);
  assert.ok((await sent(scene, 'tools/list', '{}')).result !== undefined);
});

test('what a connection sends by itself is not sent by hand, nor what has no method or no parameters', async (t) => {
  const scene = await before(t);
  for (const [name, text] of [
    ['initialize', '{}'],
    ['subscriptions/listen', '{}'],
    ['', '{}'],
    ['ping', '[]'],
    ['ping', '{'],
  ] as const)
    assert.equal((await scene.post('call', { server: 'A', kind: 'request', name, text })).status, 400, name);
});

test('a request of the wire is sent again, changed', { skip: noBrowser }, async (t) => {
  const { page, choose, accessible } = await openInspect(t, [planAt(await served(t, createExampleServer()))]);
  const result = page.getByRole('region', { name: 'Result' });
  await choose('tools', 'Echo');
  await page.getByRole('textbox', { name: /^message/ }).fill('first');
  await page.getByRole('button', { name: /^Call Ctrl/ }).click();
  await result.getByText('first').first().waitFor();
  await result.getByRole('button', { name: /^#/ }).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Send again …' }).click();
  await page.getByRole('tab', { name: /^Calls/, selected: true }).waitFor();
  assert.equal(await page.getByLabel('method').inputValue(), 'tools/call');
  const params = page.getByRole('textbox', { name: 'params' });
  const { _meta: meta, ...asked }: Record<string, unknown> = JSON.parse(await params.inputValue());
  assert.deepEqual(asked, { name: 'echo', arguments: { message: 'first' } });
  assert.deepEqual(meta, { 'io.modelcontextprotocol/logLevel': 'debug' });
  await params.fill('{"name":"echo","arguments":{"message":"changed"}}');
  await page.getByRole('button', { name: /^Send Ctrl/ }).click();
  await result.getByText('changed').first().waitFor();
  await accessible('a request that is written by hand');
  await page.getByLabel('method').fill('com.example/nothing');
  await page.getByLabel('method').press('Control+Enter');
  await result.getByText('-32601').waitFor();
  await page
    .getByRole('grid', { name: 'calls', exact: true })
    .getByRole('row')
    .filter({ hasText: 'tools/call' })
    .click();
  await page.getByRole('button', { name: 'Fill in again' }).click();
  assert.equal(await page.getByLabel('method').inputValue(), 'tools/call');
  assert.match(await params.inputValue(), /changed/);
});
