import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTexts } from '../../recorder/without-texts.ts';
import { startClient } from './started.ts';

test('of the last words of a client no end of a secret is left whose beginning was cut off', async (t) => {
  const secret = 'sk-live-0123456789abcdefghijklmnop';
  const write = `process.stderr.write('token ' + process.env.TOKEN + 'x'.repeat(3980) + '\\nboom\\n')`;
  const client = startClient(
    { command: process.execPath, args: ['-e', write], env: { TOKEN: secret } },
    () => undefined,
  );
  t.after(() => client.close());
  await client.ended;
  assert.deepEqual(withoutTexts(client.lastWords(), [secret]), ['boom']);
});
