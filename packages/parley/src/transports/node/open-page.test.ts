import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openerOf, openPage } from './open-page.ts';

/** A program that writes down its arguments, and where. */
async function recorder(
  t: TestContext,
): Promise<{ readonly command: readonly [string, ...string[]]; args(): Promise<unknown> }> {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'args.json');
  const script = 'require("node:fs").writeFileSync(process.argv[1], JSON.stringify(process.argv.slice(2)))';
  return {
    command: [process.execPath, '-e', script, file],
    args: async () => JSON.parse(await readFile(file, 'utf8')) as unknown,
  };
}

test('openPage gives the page to a program as one argument, without a shell [security-030]', async (t) => {
  const { command, args } = await recorder(t);
  await openPage('https://pay.example/a;touch$(x)?b=`id`&c=|d', { command });
  assert.deepEqual(await args(), ['https://pay.example/a;touch$(x)?b=`id`&c=|d']);
  await openPage(new URL('http://localhost:8080/cb'), { command });
  assert.deepEqual(await args(), ['http://localhost:8080/cb']);
});

for (const url of [
  'http://pay.example/',
  'https://a@pay.example/',
  'file:///etc/passwd',
  '--help',
  'https://a/ b',
  '',
]) {
  test(`openPage starts nothing for ${JSON.stringify(url)}`, async (t) => {
    const { command, args } = await recorder(t);
    await assert.rejects(openPage(url, { command }), TypeError);
    await assert.rejects(args(), { code: 'ENOENT' });
  });
}

test('openPage says so where nothing opens pages, or what does fails', async () => {
  const page = 'https://pay.example/';
  await assert.rejects(
    openPage(page, { command: ['no-such-program-here'] }),
    /no page can be opened here by no-such-program-here/,
  );
  await assert.rejects(openPage(page, { command: [process.execPath, '-e', 'process.exit(3)'] }), /exit code 3/);
});

test('no platform opens pages by a shell', () => {
  const openers = ['darwin', 'win32', 'linux', 'freebsd'].map((platform) =>
    openerOf(platform, { SystemRoot: 'D:\\W' }),
  );
  assert.deepEqual(openers, [
    ['/usr/bin/open'],
    ['D:\\W\\System32\\rundll32.exe', 'url.dll,FileProtocolHandler'],
    ['xdg-open'],
    ['xdg-open'],
  ]);
});
