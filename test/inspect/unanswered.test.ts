/** Requests that get no answer, and what the page says of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowView } from '../../packages/cli/src/inspect/view.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { connected, inspecting, outcomeOf, planAt, rowsOf } from '../support/inspected.ts';
import { json, oddServer, type OddAnswer } from '../support/odd-http-server.ts';

const skip = noBrowser;

const toCalls = (answer: OddAnswer): OddAnswer => {
  return (message, response) => message['method'] === 'tools/call' && answer(message, response);
};

const page = toCalls((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
  return true;
});

test(
  'a call that is answered with a page, or another id, waits no more, and leads to what came',
  { skip },
  async (t) => {
    const other = toCalls((_, response) => json(response, { jsonrpc: '2.0', id: 999, result: {} }));
    for (const [odd, what] of [
      [page, '<h1>Hello</h1>'],
      [other, '{"jsonrpc":"2.0","id":999,"result":{}}'],
    ] as const) {
      const { url } = await oddServer(t, odd);
      const scene = await inspecting(t, [planAt(url)]);
      await connected(scene);
      assert.notEqual((await outcomeOf(scene, { name: 'odd' })).error, undefined);
      const isOver = ({ what: method, over }: RowView): boolean => method === 'tools/call' && over !== undefined;
      await scene.line('rows', ({ rows }) => rows.some(isOver));
      const call = rowsOf(scene).find(isOver);
      const came = rowsOf(scene).find(({ n }) => n === call?.over);
      assert.deepEqual([call?.pair, came?.over, came?.what], [undefined, call?.n, what]);
    }
  },
);

test('the page says what came in the place of an answer, and a key leads there and back', { skip }, async (t) => {
  const { url } = await oddServer(t, page);
  const { page: shown, choose } = await openInspect(t, [planAt(url)]);
  await choose('tools', 'odd');
  await shown.getByRole('button', { name: 'Call Ctrl Enter' }).click();
  const calls = shown
    .getByRole('grid', { name: 'Messages' })
    .getByRole('row')
    .filter({ hasText: /→.*tools\/call/ });
  await calls.filter({ hasText: 'no JSON' }).click();
  const pane = shown.getByRole('complementary');
  await pane.getByRole('button', { name: /^came instead: #\d+/ }).waitFor();
  await shown.keyboard.press('p');
  await pane.getByText('<h1>Hello</h1>', { exact: true }).waitFor();
  await shown.keyboard.press('p');
  await pane.getByText('"tools/call"').waitFor();
});
