import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { describe, test, type TestContext } from 'node:test';
import { configOf, readConfig, type Config } from './config.ts';
import { UsageError } from '../io.ts';

const env = { TOKEN: 's3cret', HOST: 'mcp.example', EMPTY: '' };

function read(value: unknown): Config {
  return configOf(value, { file: 'servers.json', io: { env, stderr } });
}

function entry(value: unknown): Config {
  return read({ mcpServers: { one: value } });
}

/** The description of the way to the only server. */
function wayTo(value: unknown): string {
  const { upstreams, problems } = entry(value);
  assert.deepEqual(problems, []);
  return upstreams['one']?.upstream.description ?? '';
}

function fileWith(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'servers.json');
  writeFileSync(file, text);
  return file;
}

describe('a file of servers', () => {
  test('names servers to start and servers that run', () => {
    assert.equal(wayTo({ command: 'node', args: ['server.js'] }), 'node server.js');
    assert.equal(wayTo({ url: 'https://mcp.example/mcp' }), 'https://mcp.example/mcp');
    for (const type of ['http', 'streamable-http', 'sse'])
      assert.equal(wayTo({ type, url: 'https://mcp.example/sse' }), 'https://mcp.example/sse');
  });

  test('may call them servers too', () => {
    const { upstreams, warnings } = read({ servers: { a: { type: 'stdio', command: 'node' } }, inputs: [] });
    assert.deepEqual(Object.keys(upstreams), ['a']);
    assert.deepEqual(warnings, []);
  });

  test('leaves out what is switched off', () => {
    const { upstreams } = read({ mcpServers: { off: { disabled: true, command: 7 }, on: { command: 'node' } } });
    assert.deepEqual(Object.keys(upstreams), ['on']);
  });

  test('says how a server is shared and which revisions it is spoken to in', () => {
    const { upstreams } = entry({ command: 'node', sharing: 'shared', revisions: ['2025-06-18'] });
    assert.equal(upstreams['one']?.sharing, 'shared');
    assert.deepEqual(upstreams['one']?.revisions, ['2025-06-18']);
  });

  test('takes variables from the environment', () => {
    assert.equal(
      wayTo({ url: 'https://${HOST}/mcp', headers: { authorization: 'Bearer ${env:TOKEN}' } }),
      'https://mcp.example/mcp',
    );
    assert.equal(wayTo({ command: 'node', args: ['${NOT_SET:-server.js}'] }), 'node server.js');
    assert.equal(wayTo({ command: 'node', args: ['a${EMPTY}b'] }), 'node ab');
  });

  test('warns of keys that mean nothing', () => {
    const { warnings } = entry({ command: 'node', colour: 'red', headers: { a: 'b' }, arg: [] });
    assert.deepEqual(warnings, [
      'servers.json: mcpServers.one.colour is ignored: it means nothing here',
      'servers.json: mcpServers.one.headers is ignored: it means nothing here',
      'servers.json: mcpServers.one.arg is ignored: it means nothing here; arg may be meant as "args"',
    ]);
  });
});

describe('a wrong entry', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    ['node', 'mcpServers.one: must be an object, not a text'],
    [{}, 'mcpServers.one: needs "command", for a server to start, or "url", for one that runs'],
    [
      { comand: 'node' },
      'mcpServers.one: needs "command", for a server to start, or "url", for one that runs; comand may be meant as "command"',
    ],
    [{ command: 'node', url: 'https://x' }, 'mcpServers.one: has both "command" and "url"; keep one of them'],
    [{ command: [['node']] }, 'mcpServers.one.command: must be a text, not a list'],
    [{ serverUrl: 'ftp://x' }, 'mcpServers.one.serverUrl: "ftp://x" is no http: or https: URL'],
    [{ command: ' ' }, 'mcpServers.one.command: must name a program, and is empty'],
    [{ command: 'node', args: 'x' }, 'mcpServers.one.args: must be a list of texts, not a text'],
    [{ command: 'node', args: ['x', [1]] }, 'mcpServers.one.args.1: must be a text, not a list'],
    [{ command: 'node', env: { KEY: {} } }, 'mcpServers.one.env.KEY: must be a text, not an object'],
    [
      { command: 'node', timeout: 'long' },
      'mcpServers.one.timeout: must be seconds up to 3600, or milliseconds above, not a text',
    ],
    [{ command: 'node', envFile: 'no/.env' }, 'mcpServers.one.envFile: cannot be read: the file does not exist'],
    [{ command: 'node', env: { 'A=B': 'x' } }, 'mcpServers.one.env."A=B": is no name of a variable'],
    [{ command: 'node', env: { KEY: 's3cret\0' } }, 'mcpServers.one.env.KEY: holds a NUL'],
    [{ command: 'node', args: ['x', 's3cret\0'] }, 'mcpServers.one.args.1: holds a NUL'],
    [{ command: 'node', cwd: {} }, 'mcpServers.one.cwd: must be a text, not an object'],
    [{ command: 'node', disabled: 'yes' }, 'mcpServers.one.disabled: must be true or false, not a text'],
    [{ command: 'node', sharing: 'all' }, 'mcpServers.one.sharing: must be per-client or shared, not "all"'],
    [
      { command: 'node', revisions: ['2020-01-01'] },
      'mcpServers.one.revisions: unknown revision "2020-01-01"; known are',
    ],
    [{ command: 'node', revisions: [] }, 'mcpServers.one.revisions: revisions must name at least one revision'],
    [{ type: 'ws', url: 'https://x' }, 'mcpServers.one.type: must be stdio or http or'],
    [{ type: 'stdio', url: 'https://x' }, 'mcpServers.one.type: "stdio" does not go with "url"'],
    [{ type: 'sse', command: 'node' }, 'mcpServers.one.type: "sse" does not go with "command"'],
    [{ url: 'ftp://me:pass@x/y?key=s3cret' }, 'mcpServers.one.url: "ftp://x/y" is no http: or https: URL'],
    [{ url: 'https://x', headers: { 'a b': 'x' } }, 'mcpServers.one.headers."a b": is no header that can be sent'],
    [{ url: 'https://x', headers: { key: 'x\r\ny' } }, 'mcpServers.one.headers.key: is no header that can be sent'],
    [
      { url: 'https://${NOWHERE}' },
      'mcpServers.one.url: the variable NOWHERE is not set; set it, or write ${NOWHERE:-default}',
    ],
    // The name of a member that every object has.
    [{ command: 'node', args: ['${constructor}'] }, 'mcpServers.one.args.0: the variable constructor is not set'],
    [
      { url: 'https://x', oauth: { clientId: 'a', clientSecretEnv: 'toString', issuer: 'https://y' } },
      'mcpServers.one.oauth.clientSecretEnv: the variable toString is not set',
    ],
    [{ command: 'node', args: ['${input:key}'] }, 'mcpServers.one.args.0: ${input:key} means nothing here'],
  ];
  for (const [value, words] of wrong) {
    test(`is named: ${words}`, () => {
      const { upstreams, problems } = entry(value);
      assert.equal(problems.length, 1);
      assert.ok(problems[0]?.startsWith(`servers.json: ${words}`), problems[0]);
      assert.deepEqual(upstreams, {});
      assert.ok(!problems.join().includes('s3cret'));
    });
  }

  test('does not hide the others', () => {
    const { upstreams, problems } = read({ mcpServers: { bad: 1, good: { command: 'node' }, 'also bad': 2 } });
    assert.deepEqual(Object.keys(upstreams), ['good']);
    assert.deepEqual(problems, [
      'servers.json: mcpServers.bad: must be an object, not a number',
      'servers.json: mcpServers."also bad": must be an object, not a number',
    ]);
  });

  test('may be called like a property of every object', () => {
    const { upstreams } = read(
      JSON.parse('{"mcpServers":{"__proto__":{"command":"node"},"toString":{"command":"node"}}}'),
    );
    assert.deepEqual(Object.keys(upstreams), ['__proto__', 'toString']);
    assert.deepEqual(
      configOf(JSON.parse('{"mcpServers":{"a":{"command":"node","__proto__":1}}}'), { file: 'f', io: { env, stderr } })
        .warnings,
      ['f: mcpServers.a.__proto__ is ignored: it means nothing here'],
    );
  });
});

describe('what is no file of servers', () => {
  for (const [value, words] of [
    [[], /holds a list/],
    [{}, /has no "mcpServers"/],
    [{ mcpServers: [] }, /mcpServers must be an object, not a list/],
    [{ mcpServers: {} }, /names no server to run/],
    [{ mcpServers: { a: { disabled: true } } }, /names no server to run/],
  ] as const) {
    test(`is refused: ${words.source}`, () => {
      assert.throws(
        () => read(value),
        (error) => error instanceof UsageError && words.test(error.message),
      );
    });
  }

  test('is told with its place, and without what it holds', async (t) => {
    const file = fileWith(t, '{"mcpServers": {\n  "a": { "env": { "KEY": "s3cret" }, /* mine */ } "b"\n}}');
    await assert.rejects(readConfig(file, { env, stderr }), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /is not JSON \(line 2 column 51\)$/);
      return true;
    });
  });

  test('is told when it is not there, is a folder, or is too large', async (t) => {
    await assert.rejects(readConfig('nowhere/servers.json', { env, stderr }), {
      message: 'cannot read nowhere/servers.json: the file does not exist',
    });
    await assert.rejects(readConfig(tmpdir(), { env, stderr }), /it is a folder/);
    await assert.rejects(
      readConfig(fileWith(t, ' '.repeat(1024 * 1024 + 1)), { env, stderr }),
      /has more than 1048576 bytes/,
    );
  });

  test('is read when a byte order mark begins it', async (t) => {
    const { upstreams } = await readConfig(fileWith(t, '\ufeff{"mcpServers":{"a":{"command":"node"}}}'), {
      env,
      stderr,
    });
    assert.deepEqual(Object.keys(upstreams), ['a']);
  });
});

test('the content of a file is a secret, and the file a short one', (t) => {
  const file = fileWith(t, 'hush-hush');
  const { upstreams, problems } = configOf(
    {
      mcpServers: {
        program: { command: 'no-such', args: [`{file:${file}}`] },
        variable: { command: 'no-such', env: { X: `\${file:${file}}` } },
        url: { url: `https://a.example/?x={file:${file}}` },
        folder: { command: 'no-such', env: { X: '{file:.}' } },
        long: { command: 'no-such', env: { X: `{file:${fileWith(t, 'x'.repeat(64 * 1024 + 1))}}` } },
      },
    },
    { file: 'servers.json', io: { env: {}, stderr } },
  );
  assert.deepEqual(
    Object.entries(upstreams).map(([name, { secrets }]) => [name, secrets.includes('hush-hush')]),
    [
      ['program', true],
      ['variable', true],
      ['url', true],
    ],
  );
  assert.match(
    problems.join('\n'),
    /folder\.env\.X: the file \. cannot be read: it is no file of at most 65536 bytes\n/,
  );
  assert.match(problems.join('\n'), /long\.env\.X: the file .* cannot be read: it is no file of at most 65536 bytes$/);
});

test('a secret expanded into a command, an argument or a folder is in no message', async () => {
  const entries = {
    command: { command: 'no-such-${SECRET}' },
    folder: { command: 'no-such', cwd: '/no/${SECRET}' },
    argument: { command: 'no-such', args: ['${SECRET}', '--key=${SECRET}'] },
  };
  const { upstreams } = configOf(
    { mcpServers: entries },
    { file: 'servers.json', io: { env: { SECRET: 'hush-hush' }, stderr } },
  );
  const told: string[] = [];
  for (const { reach } of Object.values(upstreams)) {
    const transport = reach({});
    told.push(transport.description);
    // oxlint-disable-next-line no-await-in-loop -- one after the other is fine
    await assert.rejects(
      async () => transport.open({ message() {}, problem() {}, closed() {} }),
      (error: Error) => {
        told.push(error.message);
        return true;
      },
    );
  }
  assert.doesNotMatch(told.join(), /hush/);
  assert.deepEqual(told.slice(0, 2), [
    'no-such-${SECRET}',
    'cannot start no-such-${SECRET}: the command was not found',
  ]);
});
