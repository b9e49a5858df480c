/** A login fails, its error names options, and with these the login works: as an option of the library, and on the command line. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { OAuthOptions } from '../../../parley/src/oauth.ts';
import { createWorld, issuer, mcp, refuse, type World } from '../../../../test/support/authorization-world.ts';
import { failure } from '../../../../test/support/authorization-failure.ts';
import { discovered, initialized, newest, server } from '../../../../test/support/negotiation.ts';
import { turns } from '../../../../test/support/turns.ts';
import type { Client } from '../../../parley/src/client/api/client.ts';
import { createConnect } from '../../../parley/src/client/connect.ts';
import type { ConnectOptions } from '../../../parley/src/client/api/options.ts';
import { scriptedTransport, type Script } from '../../../parley/src/testing/scripted.ts';
import { inFlags } from './in-flags.ts';
import type { Io } from './io.ts';
import { choicesOf } from './login/sign-in.ts';
import { signInOf, signInOptions } from './login/sign-in-options.ts';
import { parseOptions } from './options.ts';

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;
const client = { id: 'by-hand', issuer };
const document = 'https://app.example/client.json';
const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
const pkce = { code_challenge_methods_supported: ['S256'] };

interface Case {
  readonly title: string;
  readonly world: () => World;
  /** Options with which it fails. */
  readonly given?: Partial<OAuthOptions>;
  /** The options that the error of the library names, where it does not write them. */
  readonly named?: Partial<OAuthOptions>;
  /** What the error says on the command line. */
  readonly says: RegExp;
  /** The words to type, where the error does not write them. */
  readonly typed?: readonly string[];
}

const unregistered = { ...metadata, registration_endpoint: undefined };

const cases: readonly Case[] = [
  {
    title: 'a client that was registered by hand',
    world: () => createWorld({ server: unregistered }),
    named: { client },
    says: /give its id with --client-id and --issuer$/,
    typed: ['--client-id', client.id, '--issuer', issuer],
  },
  {
    title: 'a document of client metadata',
    world: () => createWorld({ server: { ...unregistered, client_id_metadata_document_supported: true } }),
    named: { clientMetadataUrl: document },
    says: /or the URL of its metadata document with --client-metadata-url$/,
    typed: ['--client-metadata-url', document],
  },
  {
    title: 'protection of codes that the authorization server does not publish',
    world: () => createWorld({ server: { ...metadata, code_challenge_methods_supported: undefined } }),
    says: /with (--issuer \S+ --as-metadata '[^']+')$/,
  },
  {
    title: 'an issuer that differs by a slash',
    world: () =>
      createWorld({
        resource: { resource: mcp, authorization_servers: [`${issuer}/x`] },
        answers: {
          '/.well-known/oauth-authorization-server/x': () => Response.json({ ...metadata, issuer: `${issuer}/x/` }),
        },
        callback(callback) {
          callback.searchParams.set('iss', `${issuer}/x/`);
          return callback;
        },
      }),
    says: /with (--issuer \S+ --as-metadata '[^']+')$/,
  },
  {
    title: 'metadata of an authorization server that publishes none',
    world: () => createWorld({ server: undefined }),
    given: { client },
    named: { client, servers: { [issuer]: { ...endpoints, ...pkce } } },
    says: /give its endpoints with --issuer and --as-metadata$/,
    typed: ['--client-id', client.id, '--issuer', issuer, '--as-metadata', JSON.stringify({ ...endpoints, ...pkce })],
  },
  {
    title: 'a resource that the authorization server does not know',
    world: () =>
      createWorld({
        answers: { '/token': ({ body }) => (body['resource'] === undefined ? undefined : refuse('invalid_target')) },
      }),
    says: /supports no resources at all, give (--no-resource-parameter)$/,
  },
  {
    title: 'a host of an inner network',
    world() {
      const world: World = createWorld({
        server: { ...metadata, token_endpoint: 'https://10.0.0.1/token' },
        answers: {
          '/token'({ url, body }) {
            // The parameters of a form are texts.
            const form = new URLSearchParams(body as Readonly<Record<string, string>>);
            return url.origin === issuer ? undefined : world.fetch(`${issuer}/token`, { method: 'POST', body: form });
          },
        },
      });
      return world;
    },
    says: /allow it with (--network-allow \S+)$/,
  },
];

/** The options that an error of the library writes: `with network: { … }`, `set resourceParameter to 'omit'`. */
function written(message: string): Partial<OAuthOptions> {
  const [, name, value] =
    /\bwith (\w+): (\{.+\})$/.exec(message) ?? /\bset (\w+) to ('\w+')$/.exec(message) ?? assert.fail(message);
  // A person copies it into a program as it is; as JSON it has quotes of another kind, and around its keys too.
  const json = `{ ${name}: ${value} }`.replaceAll(/([{,] )(\w+):/g, '$1"$2":').replaceAll("'", '"');
  return JSON.parse(json) as Partial<OAuthOptions>;
}

/** The words of a shell line that quotes JSON alone. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

async function assertSignedIn(world: World, options: Partial<OAuthOptions>): Promise<void> {
  const opened = await world.connect(world.oauth(options));
  assert.deepEqual((await opened.callTool('read')).content, [{ type: 'text', text: 'read' }]);
  await opened.close();
}

for (const { title, world, given = {}, named, says, typed } of cases)
  test(`a login works with the options that its error names: ${title}`, async () => {
    const { message } = await failure(world(), given);
    await assertSignedIn(world(), named ?? written(message));
    const line = says.exec(inFlags(message)) ?? assert.fail(inFlags(message));
    const parsed = parseOptions(typed ?? wordsOf(line[1] ?? ''), signInOptions);
    // No variable is named.
    await assertSignedIn(world(), choicesOf(signInOf(parsed, { env: {} } as Io)));
  });

/** Connects to a program that answers nothing in its first nine seconds. */
async function slowlyConnected(options: ConnectOptions): Promise<Client> {
  const answering =
    (result: Readonly<Record<string, unknown>>): Script =>
    (sent, peer) =>
      void setTimeout(() => peer.reply(sent, result), 9_000 - Date.now());
  const transport = scriptedTransport('stdio', server(answering(discovered()), answering(initialized())));
  const connecting = createConnect({ http: () => transport })(transport, options);
  for (const ms of [8_000, 1_000]) {
    await turns();
    mock.timers.tick(ms);
  }
  return await connecting;
}

test('a late answer to the probe is in time with the options that the warning names', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.after(() => mock.timers.reset());
  const warnings: string[] = [];
  const older = await slowlyConnected({ onWarning: (message) => warnings.push(message) });
  assert.notEqual(older.revision, newest);
  await older.close();
  const option = /a greater (\w+) gives it that time$/.exec(warnings.join())?.[1] ?? assert.fail(warnings.join());
  const date = /--revision (\S+) gives it that time/.exec(inFlags(warnings.join()))?.[1] ?? assert.fail();
  assert.ok(date === newest);
  for (const advised of [{ [option]: 10_000 }, { revisions: [date] }]) {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    const client = await slowlyConnected(advised);
    assert.equal(client.revision, newest);
    await client.close();
  }
});
