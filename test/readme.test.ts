import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

const root = new URL('..', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** The first lines of a program's output that have a word; the program lives on. */
async function lineWith(child: ChildProcess, word: string): Promise<string> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) if (line.includes(word)) return line;
  throw new Error(`the program ended without a line with ${word}`);
}

function run(file: string, args: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('the programs of the README are those in examples/', () => {
  const blocks = [...read('README.md').matchAll(/```ts\n([^]*?)```/g)].map(([, code]) => code);
  assert.deepEqual(
    blocks,
    ['server', 'client', 'asking'].map((name) => read(`examples/${name}.ts`)),
  );
});

test('the asking program of the README is answered', async () => {
  assert.match(await lineWith(run('examples/asking.ts'), 'booked'), /booked for 2, number 7/);
});

test('the client of the README calls the server of the README', async () => {
  const server = run('examples/server.ts');
  try {
    const listening = await lineWith(server, 'listening at');
    const client = run('examples/client.ts', [listening.slice(listening.indexOf('http'))]);
    const output = await lineWith(client, 'sunny in Oslo');
    assert.match(output, /sunny in Oslo/);
    client.kill();
  } finally {
    server.kill();
  }
});
