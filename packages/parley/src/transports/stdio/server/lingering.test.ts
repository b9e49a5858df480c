import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';

/** A server whose process has an open timer. Its clock is moved by hand where `more` says so. */
function started(options: string, more: string): ChildProcess {
  const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { mock } from 'node:test';
    import { setImmediate as turn } from 'node:timers/promises';
    import { createServer } from ${at('../../../server/server.ts')};
    import { serveStdio } from ${at('./serve.ts')};
    import ${at('./lingering.ts')};
    setInterval(() => {}, 1_000_000);
    const served = serveStdio(createServer({ name: 's', version: '1' }), ${options});
    ${more}`;
  const args = ['--input-type=module', '-e', program];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: 60_000 });
}

/** The exit code of a process, and what it printed. */
async function ended(child: ChildProcess): Promise<readonly [number | null, string]> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, said];
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

describe('a process that outlives its client', { concurrency: 2 }, () => {
  test('exit ends it once input has ended and every request is answered', async () => {
    const child = started('{ exit: true }', "await served.closed; console.log('cleaned up');");
    child.stdin?.end(ping);
    assert.deepEqual(await ended(child), [0, '{"jsonrpc":"2.0","id":1,"result":{}}\ncleaned up\n']);
  });

  test('exit keeps the exit code that the program chose', async () => {
    const child = started('{ exit: true }', 'process.exitCode = 3;');
    child.stdin?.end();
    assert.deepEqual(await ended(child), [3, '']);
  });

  test('exit does not end a process that closed the conversation itself', async () => {
    const more = `mock.timers.enable({ apis: ['setTimeout'] });
      await served.close();
      await turn();
      mock.timers.tick(60_000);
      process.exit(4);`;
    assert.deepEqual(await ended(started('{ exit: true }', more)), [4, '']);
  });

  for (const [options, isTold] of [
    ['{}', true],
    ['{ exit: false }', false],
  ] as const)
    test(`10 s after the end of input a line ${isTold ? 'names the cure' : 'is not printed'}: ${options}`, async () => {
      const more = `mock.timers.enable({ apis: ['setTimeout'] });
        await served.closed;
        await turn();
        mock.timers.tick(9_999);
        console.error('not yet');
        mock.timers.tick(60_000);
        process.exit(4);`;
      const child = started(options, more);
      child.stdin?.end();
      const [code, said] = await ended(child);
      assert.equal(code, 4);
      const line =
        /^not yet\nparley: standard input ended 10 s ago, [^\n]*serveStdio\(server, \{ exit: true \}\)[^\n]*\n$/;
      assert.match(said, isTold ? line : /^not yet\n$/);
    });
});
