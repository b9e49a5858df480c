import assert from 'node:assert/strict';
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { VerbError } from './body.ts';
import { Entrance } from './entrance.ts';
import { userAt } from './user-at.ts';

function entrance(): { readonly all: Entrance; readonly said: string[]; later(ms: number): void } {
  const said: string[] = [];
  let time = 1_000;
  const all = new Entrance({ now: () => time, misused: (words) => void said.push(words) });
  return { all, said, later: (ms) => void (time += ms) };
}

const refused = (status: number) => (error: unknown) => error instanceof VerbError && error.status === status;

test('a code is good once, and gives a token of its own', () => {
  const { all, said } = entrance();
  assert.deepEqual(all.keys, [all.token]);
  const code = all.open();
  assert.equal(all.open(), code);
  // What stands in arguments opens one verb.
  assert.deepEqual([all.tokens, all.keys], [[all.token], [all.token, code]]);
  const token = all.enter(code, true);
  assert.notEqual(token, code);
  assert.deepEqual([all.tokens, said], [[all.token, token], []]);
});

test('a code that is used twice opens nothing more, and closes what it opened', () => {
  const { all, said } = entrance();
  const code = all.open();
  all.enter(code, true);
  assert.throws(() => all.enter(code, true), refused(401));
  assert.deepEqual([all.tokens, said.length], [[all.token], 1]);
  assert.throws(() => all.enter(code, true), refused(401));
  assert.deepEqual([all.tokens, said.length], [[all.token], 1]);
});

test('a code is for whoever started the process, and is not used up by others', () => {
  const { all, said } = entrance();
  const code = all.open();
  for (let times = 0; times < 3; times += 1) assert.throws(() => all.enter(code, false), refused(403));
  assert.deepEqual([all.tokens, said.length], [[all.token], 1]);
  const token = all.enter(code, true);
  assert.deepEqual(all.tokens, [all.token, token]);
});

test('a code that nobody used for two minutes is good no more', () => {
  const { all, later } = entrance();
  const code = all.open();
  later(120_001);
  assert.throws(() => all.enter(code, true), refused(401));
  assert.deepEqual(all.tokens, [all.token]);
});

test('who has a token needs no code', () => {
  const { all } = entrance();
  assert.equal(all.enter(all.token, true), all.token);
});

test('the system says who is at the other end of a connection, where it says such things', async (t) => {
  const server = createServer();
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = Object(server.address()) as { readonly port: number };
  const client = connect(port, '127.0.0.1');
  t.after(() => client.destroy());
  const [socket] = (await once(server, 'connection')) as [ReturnType<typeof connect>];
  t.after(() => socket.destroy());
  const expected = process.platform === 'linux' ? process.getuid?.() : undefined;
  assert.equal(userAt(socket), expected);
  assert.equal(userAt({ ...ends(socket), remotePort: 1 }), undefined);
  assert.equal(userAt({ ...ends(socket), remoteAddress: '::1' }), undefined);
});

function ends({ remoteAddress, remotePort, localAddress, localPort }: ReturnType<typeof connect>): object {
  return { remoteAddress, remotePort, localAddress, localPort };
}
