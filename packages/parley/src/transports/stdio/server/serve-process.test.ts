/** Processes that serve over their own standard input and output. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const pong = { jsonrpc: '2.0', id: 1, result: {} };

/** A program that serves over its own stdin and stdout, and what it wrote. */
async function runServer(
  body: string,
  input: string,
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const source = `
    import { serveStdio } from ${JSON.stringify(import.meta.resolve('./serve.ts'))};
    import { echoServed } from ${JSON.stringify(import.meta.resolve('../../../../../../test/support/echo-served.ts'))};
    const served = echoServed();
    ${body}`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
}

test('what anybody prints goes to stderr while stdout is served [stdio-003]', async () => {
  const { stdout, stderr, code } = await runServer(
    `const { closed } = serveStdio(served);
     console.log('from console'); process.stdout.write('from write\\n');
     await closed;
     console.log('afterwards');`,
    `${ping}\n`,
  );
  assert.equal(stdout, `${JSON.stringify(pong)}\nafterwards\n`);
  assert.match(stderr, /from console\nfrom write\n/);
  assert.equal(code, 0);
});

test('the process exits by itself when stdin ends [stdio-014]', async () => {
  const { stdout, code } = await runServer('serveStdio(served);', `${ping}\n`);
  assert.deepEqual([stdout, code], [`${JSON.stringify(pong)}\n`, 0]);
});

test('a large response is complete although the process has nothing more to do', async () => {
  const { stdout } = await runServer(
    'serveStdio(served);',
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params: { text: 'x'.repeat(3_000_000) } })}\n`,
  );
  assert.equal(JSON.parse(stdout).result.text.length, 3_000_000);
});

test('closing a served process lets it exit while stdin is still open', async () => {
  const source = 'const server = serveStdio(served); setTimeout(() => server.close(), 10);';
  const child = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { serveStdio } from ${JSON.stringify(import.meta.resolve('./serve.ts'))};
    import { echoServed } from ${JSON.stringify(import.meta.resolve('../../../../../../test/support/echo-served.ts'))};
    const served = echoServed(); ${source}`,
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});
