import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import { createServer } from '../../../../parley/src/server/server.ts';
import { listen, type Listening } from '../../../../parley/src/transports/node/server/http.ts';
import { createExampleServer } from '../example/server.ts';

const server = createExampleServer();
server.tool('declared', {}, (_, ctx) => JSON.stringify(ctx.client.capabilities));
let http: Listening;
let folder = '';

before(async () => {
  http = await listen(server, { port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'parley-answers-'));
});

after(async () => {
  await http.close();
  await server.close();
  await rm(folder, { recursive: true });
});

const call = (...words: readonly string[]): ReturnType<typeof inThisProcess> =>
  inThisProcess(['call', http.url, ...words]);

for (const revision of ['2025-11-25', '2026-07-28'])
  describe(`questions of a server, at ${revision}`, () => {
    const pinned = ['--revision', revision];

    test('a form gets the answers of the options and of a file', async () => {
      const file = join(folder, `${revision}.json`);
      await writeFile(file, '{"day":"2026-12-24","seat":"any","travellers":2}');
      const { code, stdout, stderr } = await call(
        'book',
        'city=Oslo',
        '--answers',
        file,
        '--answer',
        'seat=aisle',
        ...pinned,
      );
      assert.deepEqual([code, stderr], [0, '']);
      assert.equal(stdout, 'Noted for Oslo: {"day":"2026-12-24","seat":"aisle","travellers":2}\n');
    });

    test('an answer that does not fit ends the command with the fields of the form', async () => {
      const { code, stderr } = await call('book', 'city=Oslo', '--answer', 'seat=roof', ...pinned);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /asks "When and how .*" with the fields day, travellers, seat, bicycle, .*"day" is required/,
      );
    });

    test('an answer that nobody asked for is named', async () => {
      const answers = ['day=2026-12-24', 'seat=any', 'bicycel=true'].flatMap((answer) => ['--answer', answer]);
      const { code, stderr } = await call('book', 'city=Oslo', ...answers, ...pinned);
      assert.equal(code, 0);
      assert.equal(stderr, 'parley: the server did not ask for "bicycel"; the nearest name is "bicycle"\n');
    });

    test('--decline declines forms and pages', async () => {
      const [form, visit] = await Promise.all([
        call('book', 'city=Oslo', '--decline', ...pinned),
        call('map', '--decline', ...pinned),
      ]);
      assert.equal(form.stdout, 'Nothing is noted: decline.\n');
      assert.equal(visit.stdout, 'You said: decline.\n');
    });

    test('--sample answers for the model, and shows what it was to read', async () => {
      const { stdout, stderr } = await call('rhyme', '--sample', 'rain, pain', ...pinned);
      assert.equal(stdout, 'rain, pain\n');
      assert.equal(stderr, 'the server asks a model: Give me two lines about the rain that rhyme.\n');
    });

    test('without a terminal and without options, nothing is declared', async () => {
      const [none, some] = await Promise.all([
        call('declared', ...pinned),
        call('declared', '--answer', 'a=1', ...pinned),
      ]);
      assert.doesNotMatch(none.stdout, /elicitation|sampling/);
      assert.match(some.stdout, /"elicitation":\{"form":\{\}\}/);
    });

    test('--extension declares an extension with its settings', async () => {
      const { stdout } = await call(
        'declared',
        '--extension',
        'com.example/maps={"zoom":3}',
        '--extension',
        'com.example/b',
        ...pinned,
      );
      const { extensions } = JSON.parse(stdout);
      assert.deepEqual(extensions['com.example/maps'], { zoom: 3 });
      assert.deepEqual(extensions['com.example/b'], {});
    });
  });

test('bytes of a result are saved in a file, and several in a folder', async () => {
  const many = createServer({ name: 'many', version: '1.0.0' });
  const data = Buffer.from('abc').toString('base64');
  many.tool('../both', {}, () => [
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'x:y', blob: data, mimeType: 'application/x-odd' } },
  ]);
  const listening = await listen(many, { port: 0 });
  const [file, several] = [join(folder, 'sun.png'), join(folder, 'several')];
  const [one, two] = await Promise.all([
    inThisProcess(['read', http.url, 'example://sun.png', '-o', file]),
    inThisProcess(['call', listening.url, '../both', '--output', several]),
  ]);
  await listening.close();
  await many.close();
  assert.equal((await readFile(file)).subarray(1, 4).toString(), 'PNG');
  assert.match(one.stdout, /, saved as .*sun\.png\]\n$/);
  assert.deepEqual((await readdir(several)).toSorted(), ['both-1.png', 'both-2.bin']);
  assert.equal(await readFile(join(several, 'both-2.bin'), 'utf8'), 'abc');
  assert.match(two.stdout, /^\[image image\/png, 3 bytes, saved as .*both-1\.png\]\n/);
});

test('a result without bytes is printed, and the command fails', async () => {
  const { code, stdout, stderr } = await call('echo', 'message=hi', '-o', join(folder, 'none'));
  assert.deepEqual([code, stdout], [1, 'hi\n']);
  assert.match(stderr, /nothing was saved as .*none: the result has no image, audio or bytes/);
});

test('a question that cannot be asked is answered by the options that the error names', async () => {
  const [form, model] = await Promise.all([call('book', 'city=Oslo'), call('rhyme')]);
  assert.equal(form.code, 1);
  const [, answer = '', decline = ''] = /; give (--\w+) <name>=<value> or (--\w+), or call it/.exec(form.stderr) ?? [];
  const [, sample = ''] = /; give (--\w+) <text>$/m.exec(model.stderr) ?? [];
  const again = await Promise.all([
    call('book', 'city=Oslo', answer, 'day=2026-12-24', answer, 'seat=any'),
    call('book', 'city=Oslo', decline),
    call('rhyme', sample, 'rain, pain'),
  ]);
  for (const { code, stderr } of again) assert.equal(code, 0, stderr);
});
