import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';
import type { Server } from '../../../../parley/src/server/server.ts';
import { listen, type Listening } from '../../../../parley/src/transports/node/server/http.ts';
import { createExampleServer } from '../example/server.ts';
import { run } from '../run.ts';

let server: Server;
let http: Listening;

before(async () => {
  server = createExampleServer();
  http = await listen(server, { port: 0 });
});

after(async () => {
  await http.close();
  await server.close();
});

const eras = ['2025-11-25', '2026-07-28'] as const;

/** Runs a command at a server, with the words behind its URL. */
async function at(command: string, ...words: readonly string[]): ReturnType<typeof inThisProcess> {
  return await inThisProcess([command, http.url, ...words]);
}

describe('parley read', () => {
  for (const revision of eras)
    test(`prints a text as it is, at ${revision}`, async () => {
      const { code, stdout, stderr } = await at('read', 'example://manual', '--revision', revision);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^# The Parley example\n\nAsk .*\n$/);
    });

  test('describes bytes, and prints them with --json', async () => {
    const [shown, json] = await Promise.all([
      at('read', 'example://sun.png'),
      at('read', 'example://sun.png', '--json'),
    ]);
    assert.match(shown.stdout, /^\[resource example:\/\/sun\.png image\/png, \d+ bytes\]\n$/);
    assert.equal(JSON.parse(json.stdout).contents[0].mimeType, 'image/png');
  });

  test('says which resource is missing', async () => {
    const { code, stderr } = await at('read', 'urn:none-such-as-this');
    assert.deepEqual([code, stderr], [1, 'parley: no resource at "urn:none-such-as-this"\n']);
  });

  test('needs one URI', async () => {
    const [none, two] = await Promise.all([at('read'), at('read', 'a:b', 'c:d')]);
    assert.deepEqual([none.code, two.code], [2, 2]);
    assert.match(none.stderr, /name a resource by its URI/);
    assert.match(two.stderr, /"c:d" is one argument too many/);
  });
});

describe('parley prompt', () => {
  for (const revision of eras)
    test(`prints the messages, at ${revision}`, async () => {
      const { stdout } = await at('prompt', 'greet', 'name=Ada', '--json', '{"tone":"gruff"}', '--revision', revision);
      assert.equal(stdout, 'user: Write a gruff greeting for Ada.\n');
    });

  test('names missing arguments before the prompt is requested', async () => {
    const { code, stderr } = await at('prompt', 'greet', 'tone=gruff');
    assert.deepEqual([code, stderr], [2, 'parley: greet needs name; write name=…\n']);
  });

  test('suggests the name of a prompt', async () => {
    const { code, stderr } = await at('prompt', 'gret', 'name=Ada');
    assert.equal(code, 1);
    assert.match(stderr, /has no prompt "gret": it has greet, pack; the nearest name is "greet"/);
  });
});

describe('parley complete', () => {
  for (const revision of eras)
    test(`prints values for prompts and templates, at ${revision}`, async () => {
      const [tone, city] = await Promise.all([
        at('complete', 'greet', 'tone', 'f', 'name=Ada', '--revision', revision),
        at('complete', 'example://cities/{city}', 'city', 'Lis', '--revision', revision),
      ]);
      assert.equal(tone.stdout, 'friendly\nformal\n');
      assert.equal(city.stdout, 'Lisbon\n');
    });

  test('needs an argument', async () => {
    const { code, stderr } = await at('complete', 'greet');
    assert.equal(code, 2);
    assert.match(stderr, /name a prompt or a URI template, then its argument/);
  });
});

describe('parley watch', () => {
  for (const revision of eras)
    test(`prints each change until it is ended, at ${revision}`, async () => {
      const ending = new AbortController();
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      const argv = ['watch', http.url, 'example://manual', '--revision', revision, '--timeout', '60000'];
      const ended = run(argv, { stdin, stdout, stderr, env: {}, signal: ending.signal });
      const [begun] = await once(stderr, 'data');
      assert.match(String(begun), /waiting for changes of example:\/\/manual; Ctrl-C ends this/);
      for (let count = 0; count < 2; count++) {
        server.resourceUpdated('example://manual');
        const [line] = await once(stdout, 'data');
        assert.equal(String(line), 'changed example://manual\n');
      }
      ending.abort();
      assert.equal(await ended, 0);
    });
});

describe('parley send', () => {
  for (const revision of eras)
    test(`prints the result of a request as JSON, at ${revision}`, async () => {
      const params = '{"name":"add","arguments":{"a":1,"b":2}}';
      const { code, stdout } = await at('send', 'tools/call', params, '--revision', revision);
      assert.equal(code, 0);
      assert.deepEqual(JSON.parse(stdout).structuredContent, { sum: 3 });
    });

  test('prints the code and the data of an error', async () => {
    const { code, stderr } = await at('send', 'resources/read', '{"uri":"x:y"}', '--revision', '2025-11-25');
    assert.deepEqual([code, stderr], [1, 'parley: error -32002: no resource at "x:y"; its data: {"uri":"x:y"}\n']);
  });

  test('sends a notification, which has no result', async () => {
    const { code, stdout } = await at('send', 'notifications/roots/list_changed', '--revision', '2025-11-25');
    assert.deepEqual([code, stdout], [0, '']);
  });

  test('says what is wrong with the parameters', async () => {
    const wrong = ['{x', '[1]', '7'].map((text) => at('send', 'tools/list', text));
    for (const { code, stderr } of await Promise.all(wrong)) {
      assert.equal(code, 2);
      assert.match(stderr, /'\{"name":"value"\}'/);
    }
  });
});
