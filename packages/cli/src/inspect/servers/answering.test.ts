import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../recorder/log.ts';
import { HttpAnswering } from './answering.ts';

test('a gateway that refuses streams and notifications of a server that answers makes it no silent one', () => {
  const heard: (string | undefined)[] = [];
  const { recorder } = new HttpAnswering(createLog({ server: 'A', now: () => 1 }), (silence) =>
    heard.push(silence?.why),
  );
  const connection = recorder.connect();
  /** Sends something, of which an answer comes with a status and a body. */
  const exchange = (method: string, text: string | undefined, status: number, body: string): void => {
    const http = { method, url: 'http://x/mcp', headers: {} };
    const sent = text === undefined ? ({ lane: 'http' } as const) : ({ lane: 'message', text } as const);
    const n = recorder.note({ ...sent, from: 'client', http, connection });
    const came = { lane: 'http', from: 'server', http: { status, headers: {} }, connection, exchange: n } as const;
    const answer = recorder.note(came);
    recorder.grow(answer, body);
    recorder.end(answer, { lane: body.startsWith('{') ? 'message' : 'http', ends: 'over' });
  };
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const result = '{"jsonrpc":"2.0","id":1,"result":{}}';
  for (let time = 0; time < 2; time++) {
    exchange('GET', undefined, 504, 'gateway timeout');
    exchange('POST', '{"jsonrpc":"2.0","method":"notifications/initialized"}', 502, 'bad gateway');
    exchange('DELETE', undefined, 504, 'gateway timeout');
    exchange('POST', ping, 200, result);
  }
  assert.deepEqual(heard, []);
  exchange('POST', ping, 504, 'gateway timeout');
  // Whoever refuses a stream need not be the server.
  exchange('GET', undefined, 405, '');
  assert.deepEqual(heard, ['status 504, without a message of the protocol']);
  exchange('POST', ping, 200, result);
  assert.equal(heard.length, 2);
});
