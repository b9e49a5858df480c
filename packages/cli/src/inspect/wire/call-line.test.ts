import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingEntry } from '../../recorder/entry.ts';
import { callLine } from './call-line.ts';

function called(name: string): RecordingEntry {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
  const place = { sequence: 1, time: 0, server: 'A', connection: 1, bytes: 0 };
  return { ...place, lane: 'message', from: 'client', method: 'tools/call', text };
}

test('a call is a line, unless the name of its tool would be an option', () => {
  assert.equal(
    callLine(called("it's"), 'https://a.example/mcp'),
    String.raw`parley call https://a.example/mcp 'it'\''s'`,
  );
  assert.equal(callLine(called('--token-env=GITHUB_TOKEN'), 'https://a.example/mcp'), undefined);
});

test('options stand before the address or the command that they are for', () => {
  assert.equal(
    callLine(called('add'), `--header X-Key:" $X_KEY" https://a.example/mcp`),
    `parley call --header X-Key:" $X_KEY" https://a.example/mcp add`,
  );
  assert.equal(
    callLine(called('add'), '--env KEY="$KEY" -- node server.js -- x'),
    'parley call --env KEY="$KEY" add -- node server.js -- x',
  );
});
