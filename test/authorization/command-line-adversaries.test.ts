/** Hostile servers and answers, against the commands that sign in, and those that use a login. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { start, type Ran } from '../support/cli-process.ts';
import {
  challengeAt,
  guarded,
  healthy,
  metadataOf,
  paths,
  type Answer,
  type Guarded,
} from '../support/explain/guarded.ts';
import { run as runCommand } from '../../packages/cli/src/commands/run.ts';
import { fileCredentialStore } from '../../packages/parley/src/node.ts';
import { guardedServer } from '../support/guarded-server.ts';
import { authorizationServer } from '../support/oidc-provider.ts';
import { visitPages } from '../support/visited-pages.ts';
import { machineWithPerson } from '../support/page-opener.ts';

/** A machine of its own, where the program runs in this process. */
interface Machine {
  readonly state: string;
  /** Runs a command; what it writes to standard error may be answered. */
  run(argv: readonly string[], answer?: (stderr: string) => Promise<string | undefined>): Promise<Ran>;
}

async function machine(t: TestContext): Promise<Machine> {
  const state = await mkdtemp(join(tmpdir(), 'parley-adversary-'));
  t.after(() => rm(state, { recursive: true, force: true }));
  return {
    state,
    run: async (argv, answer) => {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      let [out, told] = ['', ''];
      stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      stderr.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        if (answer !== undefined)
          void answer(told).then((line) => void (line === undefined || stdin.write(`${line}\n`)));
      });
      if (answer === undefined) stdin.end();
      const env = { XDG_STATE_HOME: state };
      const code = await runCommand(argv, { stdin, stdout, stderr, env, signal: new AbortController().signal });
      return { code, stdout: out, stderr: told };
    },
  };
}

/** Everything that is kept on a machine and was not deleted, by its kind. */
async function keptOn({ state }: Machine): Promise<readonly string[]> {
  const store = fileCredentialStore({ folder: join(state, 'parley', 'credentials') });
  const kinds = ['grant', 'client', 'login', 'dpop-key'] as const;
  const keys = (await Promise.all(kinds.map((kind) => store.keys(kind)))).flat();
  return [...new Set(keys.map(({ kind }) => kind))];
}

type Change = (origin: string) => Guarded;
type Row = readonly [what: string, change: Change, words: RegExp];

const refusal = (challenge: string): Answer => ({ status: 401, headers: { 'www-authenticate': challenge } });

function challenged(challenge: (origin: string) => string): Change {
  return (origin) => ({ ...healthy(origin), refusal: refusal(challenge(origin)) });
}

function publishing(path: string, published: (origin: string) => Guarded['published'][string]): Change {
  return (origin) => ({
    refusal: refusal(challengeAt(origin)),
    published: { ...healthy(origin).published, [path]: published(origin) },
  });
}

function resource(change: (origin: string) => object): Change {
  return publishing(paths.resource, (origin) => ({
    document: {
      resource: `${origin}${paths.endpoint}`,
      authorization_servers: [`${origin}/tenant`],
      ...change(origin),
    },
  }));
}

function server(change: (origin: string) => object): Change {
  return publishing(paths.server, (origin) => ({ document: { ...metadataOf(`${origin}/tenant`), ...change(origin) } }));
}

const rows: readonly Row[] = [
  ['resource metadata of another host', resource(() => ({ resource: 'https://evil.example/mcp' })), /another resource/],
  ['resource metadata of a sibling path', resource((origin) => ({ resource: `${origin}/mcp2` })), /another resource/],
  ['a challenge that names a script', challenged(() => 'Bearer resource_metadata="javascript:alert(1)"'), /javascript/],
  ['a challenge that names a file', challenged(() => 'Bearer resource_metadata="file:///etc/passwd"'), /file:/],
  [
    'a challenge that names the metadata of a cloud',
    challenged(() => 'Bearer resource_metadata="https://169.254.169.254/latest"'),
    /link-local|169\.254/,
  ],
  [
    'a challenge that names an address by one number',
    challenged(() => 'Bearer resource_metadata="https://2852039166/latest"'),
    /link-local|169\.254/,
  ],
  [
    'an authorization server in another network',
    resource(() => ({ authorization_servers: ['https://10.0.0.1'] })),
    /10\.0\.0\.1/,
  ],
  [
    'an authorization server by http elsewhere',
    resource(() => ({ authorization_servers: ['http://as.example'] })),
    /https/,
  ],
  ['metadata of another issuer', server(() => ({ issuer: 'https://evil.example' })), /another one/],
  [
    'metadata that normalize to the issuer',
    server((origin) => ({ issuer: `${origin}/tenant/` })),
    /differs only by a final slash/,
  ],
  ['metadata without S256', server(() => ({ code_challenge_methods_supported: undefined })), /S256/],
  ['a page that is a script', server(() => ({ authorization_endpoint: 'javascript:alert(1)' })), /javascript|https/],
  ['a page by http elsewhere', server(() => ({ authorization_endpoint: 'http://as.example/' })), /https/],
  ['a token endpoint in another network', server(() => ({ token_endpoint: 'https://[fd00::1]/' })), /fd00/],
  [
    'metadata that lead elsewhere',
    publishing(paths.resource, () => ({ status: 302, headers: { location: 'https://169.254.169.254/' } })),
    /redirect|elsewhere|another|302|none/,
  ],
  [
    'metadata without end',
    publishing(paths.resource, () => ({ status: 200, body: `{"x":"${'x'.repeat(400_000)}"}` })),
    /larger|bytes|large|KiB/,
  ],
];

const bridged = ['initialize', 'tools/list']
  .map((method, at) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: at + 1,
      method,
      params:
        at === 0 ? { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } } : {},
    }),
  )
  .join('\n');

const commands: Readonly<Record<string, (url: string) => readonly string[]>> = {
  'parley login': (url) => ['login', '--no-browser', url],
  'parley call': (url) => ['call', '--login', 'always', url, 'any'],
};

describe('adversaries of the command line', { concurrency: 4 }, () => {
  for (const [name, argv] of Object.entries(commands))
    for (const [what, change, words] of rows)
      test(`${name}, ${what}: it says so, sends nobody anywhere, and keeps nothing`, async (t) => {
        const own = await machine(t);
        await guarded(change, async (origin, asked) => {
          const ran = await own.run(argv(`${origin}${paths.endpoint}?key=secret-of-the-url`));
          assert.equal(ran.code, 1, ran.stdout);
          assert.equal(ran.stdout, '');
          assert.match(ran.stderr, words);
          assert.doesNotMatch(ran.stderr, /open this page|asks you to sign in/);
          assert.doesNotMatch(ran.stderr, /secret-of-the-url|\n\s+at /);
          assert.ok(asked.every(({ method, path }) => method === 'GET' || path.startsWith(paths.endpoint)));
          assert.ok(asked.every(({ headers }) => headers['authorization'] === undefined));
        });
        assert.deepEqual(await keptOn(own), []);
      });

  for (const [what, change] of rows)
    test(`parley explain, ${what}: it is among the rules that are broken, or what was not fetched`, async (t) => {
      const own = await machine(t);
      await guarded(change, async (origin, asked) => {
        const ran = await own.run(['explain', `${origin}${paths.endpoint}`]);
        assert.equal(ran.code, 1);
        assert.doesNotMatch(ran.stdout, /no rule is broken/);
        assert.match(ran.stdout, /\bstop\b/);
        assert.ok(asked.every(({ method, path }) => method === 'GET' || path === paths.endpoint));
      });
      assert.deepEqual(await keptOn(own), []);
    });

  for (const [what, change, words] of rows)
    test(`parley bridge, ${what}: its owner hears what it is, and its client no word of the server`, async (t) => {
      const own = await machine(t);
      await guarded(change, async (origin) => {
        const url = `${origin}${paths.endpoint}`;
        const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
        let out = '';
        stdout.setEncoding('utf8').on('data', (text: string) => {
          out += text;
          if (/"id":2/.test(out)) stdin.end();
        });
        stdin.write(`${bridged}\n`);
        const env = { XDG_STATE_HOME: own.state };
        const argv = ['bridge', '--stdio', '--login', 'always', url];
        await runCommand(argv, { stdin, stdout, stderr, env, signal: t.signal });
        assert.match(String(stderr.read()), words);
        assert.doesNotMatch(out, /evil\.example|169\.254|javascript|x{1000}/);
        assert.doesNotMatch(out, /"result":\{"tools"/);
      });
      assert.deepEqual(await keptOn(own), []);
    });
});

/** What becomes of an answer before it is pasted. */
const answers: readonly (readonly [what: string, change: (callback: URL) => void, words: RegExp])[] = [
  ['a forged issuer', (url) => url.searchParams.set('iss', 'https://evil.example'), /another authorization server/],
  ['an issuer with a slash', (url) => url.searchParams.set('iss', `${url.searchParams.get('iss')}/`), /slash|another/],
  ['no issuer', (url) => url.searchParams.delete('iss'), /does not name its issuer/],
  ['two issuers', (url) => url.searchParams.append('iss', 'https://evil.example'), /iss twice/],
  ['another state', (url) => url.searchParams.set('state', 'x'), /another login/],
  ['no state', (url) => url.searchParams.delete('state'), /another login/],
  ['two codes', (url) => url.searchParams.append('code', 'x'), /code twice/],
  ['no code', (url) => url.searchParams.delete('code'), /neither a code nor an error/],
];

describe('answers that a person is made to paste', { concurrency: 4 }, () => {
  for (const [what, change, words] of answers)
    test(`parley login takes none with ${what}`, async (t) => {
      const as = await authorizationServer(t);
      const { url } = await guardedServer(t, as.issuer);
      const own = await machine(t);
      let visited = false;
      const ran = await own.run(['login', '--no-browser', url], async (stderr) => {
        const page = /^ {2}(http\S+)\n/m.exec(stderr)?.[1];
        if (page === undefined || visited) return undefined;
        visited = true;
        const callback = new URL(await visitPages(page));
        change(callback);
        return callback.href;
      });
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, words);
      assert.doesNotMatch(ran.stderr, /evil\.example/);
      assert.deepEqual(as.tokenRequests, []);
      // The registration is of use for the next one.
      assert.deepEqual(await keptOn(own), ['client']);
    });
});

test('a page whose URL has the words of a shell is one argument of the program that opens it [security-030]', async (t) => {
  const person = await machineWithPerson(t, { absent: true });
  const words = '/authorize;touch$IFS$(id)|id&x=1';
  const change = server((origin) => ({
    authorization_endpoint: `${origin}${words}`,
    registration_endpoint: `${origin}/register`,
  }));
  const registered = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"client_id":"c"}' };
  const all: Change = (origin) => {
    const made = change(origin);
    return { ...made, published: { ...made.published, '/register': registered } };
  };
  await guarded(all, async (origin) => {
    const login = start(['login', `${origin}${paths.endpoint}`], person.env);
    let opened: readonly string[] = [];
    for (let look = 0; look < 1000 && opened.length === 0; look++) {
      await setTimeout(20);
      opened = await person.opened();
    }
    login.child.kill('SIGTERM');
    await login.ended;
    assert.equal(opened.length, 1);
    assert.ok(opened[0]?.startsWith(`${origin}${words}?`), opened[0]);
  });
});
