/** What `parley inspect` advises is done, and works. What only a browser shows is tested in `test/inspect/`. */

import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { PassThrough } from 'node:stream';
import { typedPlan } from '../../packages/cli/src/commands/inspect/plans.ts';
import type { Io } from '../../packages/cli/src/commands/io.ts';
import { run } from '../../packages/cli/src/commands/run.ts';
import { authOptions } from '../../packages/cli/src/commands/login/sign-in-options.ts';
import { parseOptions } from '../../packages/cli/src/commands/options.ts';
import { serverTarget, targetOptions } from '../../packages/cli/src/commands/target.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { exampleCommand } from '../support/cli-process.ts';
import { connected, inspecting, noPage, type InspectedScene } from '../support/inspected.ts';

const skip = noPage;

/** Serves whoever has a token. */
async function keyed(t: TestContext): Promise<string> {
  const handler = toNodeHandler(createServer({ name: 'keyed', version: '1' }));
  const http = createHttp((incoming, outgoing) =>
    incoming.headers.authorization === 'Bearer abc' ? handler(incoming, outgoing) : void outgoing.writeHead(401).end(),
  );
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
    return handler.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function typed(t: TestContext, words: readonly string[], url: string): Promise<InspectedScene> {
  const io = { env: { ...process.env, KEY: 'abc', OTHER: 'x' } } as Partial<Io> as Io;
  const parsed = parseOptions(words, { ...targetOptions, ...authOptions });
  return await inspecting(t, [typedPlan(serverTarget([url], undefined), parsed, io)]);
}

test('a server that wants credentials is shown with each option that is advised', { skip }, async (t) => {
  const url = await keyed(t);
  for (const [words, advice] of [
    [[], /^It requires a sign-in: press Sign in, or start with credentials, by --header or --token-env /],
    // There is nothing to press where credentials are given.
    [['--token-env', 'OTHER'], /^It refuses the credentials .*: start with others, by --header or --token-env /],
  ] as const) {
    const scene = await typed(t, words, url);
    const { server } = await scene.line('server', (line) => line.server.state === 'failed');
    assert.match(server.advice ?? '', advice);
    assert.equal(server.wantsSignIn, words.length === 0);
    await scene.close();
  }
  for (const words of [
    ['--header', 'Authorization: Bearer abc'],
    ['--token-env', 'KEY'],
  ]) {
    const scene = await typed(t, words, url);
    await connected(scene);
    await scene.close();
  }
});

test('a command in the address of the page is typed as the page says', async (t) => {
  const [command = '', ...args] = exampleCommand;
  const search = `?${new URLSearchParams({ serverCommand: command, serverArgs: args.join(' ') })}`;
  for (const [name, value] of [
    ['location', { search, pathname: '/' }],
    ['history', { replaceState: () => undefined }],
  ] as const) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true });
    t.after(() =>
      before === undefined ? Reflect.deleteProperty(globalThis, name) : Object.defineProperty(globalThis, name, before),
    );
  }
  // The page has types of its own.
  const { takeWish } = (await import(
    new URL('../../packages/cli/src/inspect/page/address.ts', import.meta.url).href
  )) as {
    takeWish(token: string): Promise<{ readonly problem?: string }>;
  };
  const { problem = '' } = await takeWish('');
  const line = /Type it: parley (inspect -- .+)$/.exec(problem)?.[1] ?? assert.fail(problem);
  const ending = new AbortController();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let printed = '';
  stdout.on('data', (text) => {
    printed += String(text);
    if (/Parley shows it at/.test(printed)) ending.abort();
  });
  // Over SSH no browser is opened.
  const io: Io = { stdin, stdout, stderr, env: { SSH_CONNECTION: 'x' }, signal: ending.signal };
  assert.equal(await run(line.split(' '), io), 0);
  assert.match(printed, /^starts /);
});
