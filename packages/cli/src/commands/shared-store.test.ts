import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '../../../parley/src/client.ts';
import { newestRevision } from '../../../parley/src/protocol/revision.ts';
import { missing } from '../../../../test/support/engines.ts';
import { eventually, startNode } from '../../../../test/support/redis-nodes.ts';
import { exampleCommand, start } from '../../../../test/support/cli-process.ts';

const urlLine = /^ {2}url {6}(\S+)$/m;
const keys = Buffer.alloc(32, 1).toString('base64');

async function outcomeOf(
  words: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; stderr: string }> {
  const { ended } = start(['bridge', '--port', '0', ...words, '--', ...exampleCommand], env);
  return await ended;
}

describe('parley bridge with a Redis', { concurrency: 4 }, () => {
  test('needs keys, and says how they are made', async () => {
    const { code, stderr } = await outcomeOf(['--redis', 'redis://127.0.0.1:1'], {});
    assert.equal(code, 2);
    assert.match(stderr, /need the same PARLEY_KEYS: 32 bytes in base64, as openssl rand -base64 32/);
  });

  test('takes no keys that are none, and repeats nothing of them', async () => {
    const { code, stderr } = await outcomeOf([], { PARLEY_KEYS: 'c2VjcmV0' });
    assert.equal(code, 2);
    assert.match(stderr, /PARLEY_KEYS must be keys of 32 bytes/);
    assert.ok(!stderr.includes('c2VjcmV0'));
  });

  test('takes no URL that is none, and no name without a URL', async () => {
    const other = await outcomeOf(['--redis', 'http://127.0.0.1'], { PARLEY_KEYS: keys });
    assert.deepEqual([other.code, /begins with redis:\/\//.test(other.stderr)], [2, true]);
    const alone = await outcomeOf(['--redis-name', 'a'], {});
    assert.deepEqual([alone.code, /--redis-name goes with --redis/.test(alone.stderr)], [2, true]);
  });

  test('ends where it cannot be reached, and shows no password', async () => {
    const env = { PARLEY_KEYS: keys, PARLEY_REDIS_URL: 'redis://:hush@127.0.0.1:1' };
    const { code, stderr } = await outcomeOf([], env);
    assert.equal(code, 1);
    assert.match(stderr, /Redis cannot be used now: connect ECONNREFUSED 127\.0\.0\.1:1/);
    assert.ok(!stderr.includes('hush'));
  });

  test('serves with it, and closes it', { skip: missing('redis-server') }, async (t) => {
    const node = await startNode();
    t.after(() => node.stop());
    const env = { PARLEY_KEYS: keys, PARLEY_REDIS_URL: `redis://127.0.0.1:${node.port}` };
    const { child, said, ended } = start(['bridge', '--port', '0', '--redis-name', 'a', '--', ...exampleCommand], env);
    const client = await connect(await said(urlLine));
    assert.ok((await client.listTools()).length > 0);
    await client.close();
    assert.equal(await node.send('EXISTS', 'p:a:{w0}:w'), 1);
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('says when and where it is lost, and when it is back', { skip: missing('redis-server') }, async (t) => {
    const node = await startNode();
    t.after(() => node.stop());
    const env = { PARLEY_KEYS: keys, PARLEY_REDIS_URL: `redis://127.0.0.1:${node.port}` };
    const words = ['bridge', '--port', '0', '--health', '--', ...exampleCommand];
    const { child, said, ended } = start(words, env);
    const url = new URL('/readyz', await said(urlLine));
    const ready = async (): Promise<number> => (await fetch(url)).status;
    await node.kill();
    await eventually(async () => (await ready()) === 503);
    await node.restart();
    await eventually(async () => (await ready()) === 200);
    child.kill('SIGTERM');
    const { stderr } = await ended;
    const at = `127\\.0\\.0\\.1:${node.port}`;
    assert.match(
      stderr,
      new RegExp(`^parley: the Redis at ${at} cannot be used; requests that need it get 503 meanwhile$`, 'm'),
    );
    assert.match(stderr, new RegExp(`^parley: the Redis at ${at} can be used again, after \\d+ s$`, 'm'));
  });

  test('is one of several that serve each stateless client as one', { skip: missing('redis-server') }, async (t) => {
    const node = await startNode();
    t.after(() => node.stop());
    const env = { PARLEY_KEYS: keys, PARLEY_REDIS_URL: `redis://127.0.0.1:${node.port}` };
    const several = [1, 2, 3].map(() =>
      start(['bridge', '--port', '0', '--redis-name', 'b', '--', ...exampleCommand], env),
    );
    const urls = await Promise.all(several.map(({ said }) => said(urlLine)));
    let turn = 0;
    const statuses: number[] = [];
    const inTurn: typeof fetch = async (input, init) => {
      const asked = new URL(input instanceof Request ? input.url : input);
      asked.port = new URL(urls[turn++ % urls.length] ?? '').port;
      const answer = await fetch(asked, init);
      statuses.push(answer.status);
      return answer;
    };
    const client = await connect(urls[0] ?? '', { fetch: inTurn, revisions: [newestRevision.date] });
    for (let lists = 0; lists < 6; lists++) assert.ok((await client.listTools({ cache: 'refresh' })).length > 0);
    await client.close();
    assert.deepEqual([statuses.every((status) => status === 200), turn > 6], [true, true], statuses.join(' '));
    for (const { child } of several) child.kill('SIGTERM');
    for (const { ended } of several) assert.deepEqual((await ended).code, 0);
  });
});
