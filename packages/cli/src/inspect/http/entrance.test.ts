import assert from 'node:assert/strict';
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { VerbError } from './body.ts';
import { Entrance } from './entrance.ts';
import { listenLocally, type Verb } from './listen.ts';
import { mayEnter, userAt } from './user-at.ts';

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
  // Who runs this may be the administrator, whose number stands in many columns: it says that a line was found, if no more.
  const expected = process.platform === 'linux' ? process.getuid?.() : undefined;
  assert.equal(userAt(socket), expected);
  assert.equal(userAt({ ...ends(socket), remotePort: 1 }), undefined);
  assert.equal(userAt({ ...ends(socket), remoteAddress: '::1' }), undefined);
});

/** Tables as Linux has them, with another number in each column. */
const ofOld = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1889 00000000:0000 0A 00000011:00000012 13:00000014 00000015  1016       17 18 19 0000000000000000 100 0 0 10 0
   1: 0100007F:1889 0100007F:D431 01 00000021:00000022 23:00000024 00000025  1026       27 28 29 0000000000000000 20 4 30 10 -1
   2: 0100007F:D431 0100007F:1889 01 00000031:00000032 33:00000034 00000035  1036       37 38 39 0000000000000000 20 4 30 10 -1
`;
const ofNew = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:D432 0000000000000000FFFF00000100007F:1889 01 00000041:00000042 43:00000044 00000045  1046       47 48 49 0000000000000000 20 4 30 10 -1
`;

test('the user of a connection stands in one column of the line of its other end', () => {
  const at = (remotePort: number): object => ({
    remoteAddress: '127.0.0.1',
    remotePort,
    localAddress: '127.0.0.1',
    localPort: 0x1889,
  });
  const read = (table: string): string => (table.endsWith('6') ? ofNew : ofOld);
  assert.equal(userAt(at(0xd431), read), 1036);
  assert.equal(userAt(at(0xd432), read), 1046);
  assert.equal(userAt(at(0xd433), read), undefined);
  const none = (): string => assert.fail('there is no such table');
  assert.equal(userAt(at(0xd431), none), undefined);
});

test('the user whose process it is may enter, the administrator, and whoever the system says nothing of', () => {
  for (const [user, own, expected] of [
    [1000, 1000, true],
    [1001, 1000, false],
    [0, 1000, true],
    [1000, 0, false],
    [0, 0, true],
    [undefined, 1000, true],
    [undefined, undefined, true],
  ] as const)
    assert.equal(mayEnter(user, own), expected, `${user} at ${own}`);
});

/** Serves an entrance as the page has it, to who the system says that it is; the process is that of 1000. */
async function listening(t: TestContext, userOf: () => number | undefined, verb: Verb = () => Promise.resolve({})) {
  const { getuid } = process;
  process.getuid = () => 1000;
  t.after(() => {
    if (getuid === undefined) delete process.getuid;
    else process.getuid = getuid;
  });
  const { all, said } = entrance();
  const words = String;
  const verbs = new Map([['do', verb]]);
  const parts = { files: new Map(), verbs, entrance: all, port: 0, frames: 'http://127.0.0.1:1', words, userOf };
  const local = await listenLocally(parts);
  t.after(() => local.close());
  const post = (name: string, secret: string): Promise<Response> =>
    fetch(`http://${local.door.host}/api/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{}',
    });
  return { all, said, post };
}

test('another user of the machine is refused over HTTP, and the person gets in after that', async (t) => {
  let user = 1001;
  const { all, said, post } = await listening(t, () => user);
  const code = all.open();
  assert.equal((await post('enter', code)).status, 403);
  assert.equal(said.length, 1);
  user = 1000;
  const { token } = (await (await post('enter', code)).json()) as { readonly token: string };
  assert.equal((await post('do', token)).status, 200);
});

test('who comes by a relay that the administrator runs gets in over HTTP', async (t) => {
  const { all, said, post } = await listening(t, () => 0);
  assert.equal((await post('enter', all.open())).status, 200);
  assert.deepEqual(said, []);
});

test('what is under way by a token that is withdrawn ends, and by that of the run it does not', async (t) => {
  const waiting: (() => void)[] = [];
  const ended: unknown[] = [];
  const verb: Verb = (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => ended.push(signal.reason));
      waiting.push(() => resolve({ done: true }));
    });
  const { all, post } = await listening(t, () => 1000, verb);
  const code = all.open();
  const { token } = (await (await post('enter', code)).json()) as { readonly token: string };
  const [theirs, own] = [post('do', token), post('do', all.token)];
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await post('enter', code)).status, 401);
  assert.ok(await settledWithin(5_000, theirs), 'it is under way still');
  await assert.rejects(theirs);
  assert.equal(ended.length, 1);
  for (const end of waiting) end();
  assert.deepEqual(await (await own).json(), { done: true });
});

function ends({ remoteAddress, remotePort, localAddress, localPort }: ReturnType<typeof connect>): object {
  return { remoteAddress, remotePort, localAddress, localPort };
}
