/** What the page holds of a long recording. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { RecordingEntry } from '../../packages/cli/src/recorder/entry.ts';
import { noBrowser, openInspect } from '../support/inspect-page.ts';
import { planAt } from '../support/inspected.ts';

const skip = noBrowser;

/** Messages of both sides by turns, as they come in a conversation, with more text than a row shows. */
function crossed(sequence: number): RecordingEntry {
  const words = `${sequence} ${'weather '.repeat(12)}`;
  const isLog = sequence % 2 === 0;
  const [from, method] = isLog
    ? (['server', 'notifications/message'] as const)
    : (['client', 'resources/read'] as const);
  const message = isLog
    ? { jsonrpc: '2.0', method, params: { level: 'info', data: words } }
    : { jsonrpc: '2.0', id: sequence, method, params: { uri: `file:///${words}` } };
  const text = JSON.stringify(message);
  const id = isLog ? {} : { id: sequence };
  const time = 1.8e12 + sequence;
  return { sequence, time, server: 'A', connection: 1, from, lane: 'message', text, method, bytes: text.length, ...id };
}

/** Memory of a page that looks at so many messages, in bytes. */
async function heapWith(t: TestContext, count: number): Promise<number> {
  const recorded = Array.from({ length: count }, (_, at) => crossed(at + 1));
  const plan = planAt('recording', { kind: 'recording', recorded });
  const { page } = await openInspect(t, [plan]);
  await page
    .getByText(`${count.toLocaleString('en')} messages`)
    .first()
    .waitFor();
  await page
    .getByRole('grid', { name: 'Messages' })
    .getByText(/weather \w*…/)
    .first()
    .waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize;
}

test('the page holds at most 220 bytes for each message, however long that is', { skip }, async (t) => {
  const [few, many] = [await heapWith(t, 2_000), await heapWith(t, 18_000)];
  const each = (many - few) / 16_000;
  assert.ok(each > 0 && each <= 220, `${each} bytes`);
});
