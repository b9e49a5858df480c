/** Commands that cannot be started, and children that go in the middle of a conversation. */

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { until } from '../../../../../../test/support/turns.ts';
import type { Message } from '../../../jsonrpc/message.ts';
import type { Channel } from '../../../jsonrpc/transport.ts';
import { notStarted } from './child.ts';
import { spawn, type SpawnOptions } from './transport.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-refused-'));
after(() => rmSync(folder, { recursive: true }));
const locked = join(folder, 'locked');
writeFileSync(locked, '');
chmodSync(locked, 0o644);

const request: Message = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** A conversation with a child, and how it ended. */
async function open(command: string, args: readonly string[] = [], options: SpawnOptions = {}) {
  const ends: Error[] = [];
  const channel: Channel = await spawn(command, args, options).open({
    message: () => undefined,
    problem: () => undefined,
    closed: (error) => ends.push(error),
  });
  return { channel, ends };
}

describe('a command that cannot be started', () => {
  const missing = 'the command was not found';
  for (const [command, options, message] of [
    ['parley-no-such', {}, `"parley-no-such": ${missing}`],
    ['./parley-no-such', {}, `"./parley-no-such": ${missing}`],
    [
      'parley-no-such',
      { cwd: folder },
      `"parley-no-such" in ${folder}: the command or the working directory was not found`,
    ],
    ['parley-no-such', { env: { PATH: folder } }, `"parley-no-such": ${missing}`],
    [locked, {}, `${JSON.stringify(locked)}: it may not be executed`],
    ['locked', { env: { PATH: `${folder}:/none` } }, '"locked": it may not be executed'],
    [
      'parley-no-such -y x',
      {},
      `"parley-no-such -y x": ${missing}; if it holds its arguments, give them apart: the command "parley-no-such", then each argument separately`,
    ],
    [
      'https://host/mcp?key=s3cret',
      {},
      `"https://host/mcp": ${missing}; it is a URL, which is connected to rather than started`,
    ],
    ['HTTPS.exe', {}, `"HTTPS.exe": ${missing}`],
  ] as const)
    test(`is named with the reason: ${message.replaceAll(folder, '…').slice(0, 50)}`, async () => {
      await assert.rejects(open(command, [], options), { reason: 'refused', message: `cannot start ${message}` });
    });

  test('is named without what the system says of a mistake', async () => {
    await assert.rejects(open('echo', ['a\0b']), { reason: 'refused', message: /^cannot start "echo": .*null bytes/ });
  });
});

describe('a child', () => {
  test('that dies takes its last words with it, and nothing can be sent to it', async () => {
    let heard = '';
    const onStderr = (text: string): void => void (heard += text);
    const { channel, ends } = await open('sh', ['-c', "printf '%3000s' last >&2; read line; exit 3"], { onStderr });
    await channel.send(request);
    await until(() => ends.length > 0);
    assert.match(ends[0]?.message ?? '', /^the server \(sh …\) exited with code 3: +last$|exited with code 3: last$/);
    assert.equal(heard.length, 3_000);
    await assert.rejects(channel.send(request), { reason: 'exited' });
    await channel.close();
    await assert.rejects(channel.send(request), { reason: 'exited' });
    assert.equal(ends.length, 1);
  });

  test('that closes its output is ended half a second later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { channel, ends } = await open('sh', ['-c', 'exec >&-; exec sleep 1000'], {
      stderr: 'ignore',
      killTimeoutMs: 1,
    });
    await until(() => (t.mock.timers.tick(499), ends.length > 0));
    assert.deepEqual(
      ends.map(({ message }) => message),
      ['the server closed its output'],
    );
    const closed = channel.close();
    let isOver = false;
    void closed.then(() => (isOver = true));
    await until(() => (t.mock.timers.tick(500), isOver));
    await assert.rejects(channel.send(request), { reason: 'closed', message: 'the server closed its output' });
  });
});

test('a command that is in no folder was not found, though the system may not look into one of them', () => {
  // A user with all rights may look into each folder, so that the system does not say it to that one.
  const cause = Object.assign(new Error('spawn EACCES'), { code: 'EACCES' });
  const words = (command: string): string => notStarted(command, cause, { env: { PATH: folder } }).message;
  assert.equal(words('parley-no-such'), 'cannot start "parley-no-such": the command was not found');
  assert.equal(words('locked'), 'cannot start "locked": it may not be executed');
});
