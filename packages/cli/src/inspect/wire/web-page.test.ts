import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingEntry } from '../../recorder/entry.ts';
import { toWebPage } from './web-page.ts';

const script = '<script>alert(1)</script>"\'&';

const entry: RecordingEntry = {
  sequence: 1,
  time: 1.8e12,
  server: 'A',
  connection: 1,
  from: 'client',
  lane: 'message',
  method: 'tools/call',
  id: 1,
  text: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: script } }),
  bytes: 10,
};

const facts = { version: '1.0.0', servers: [{ id: 'A', name: script, revision: '2025-11-25' }] };

test('a shared page has the messages, and every text of a server is text', () => {
  const page = toWebPage([entry], facts);
  assert.match(page, /tools\/call/);
  assert.doesNotMatch(page, /<script|onerror|href=|src=/);
  assert.match(page, /&lt;script&gt;alert\(1\)/);
  assert.match(page, /default-src 'none'/);
});

test('a shared page is bounded, and says what it leaves out', () => {
  const many = Array.from({ length: 5_002 }, (_, at) => ({ ...entry, sequence: at + 1 }));
  const page = toWebPage(many, facts);
  assert.match(page, /5,000 messages, without 2 older ones/);
  const long = { ...entry, text: 'x'.repeat(150_000) };
  assert.match(toWebPage([long], facts), /50000 characters more/);
});
