import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OAuthOptions } from '../../../parley/src/oauth.ts';
import { createWorld } from '../../../../test/support/authorization-world.ts';
import { failure } from '../../../../test/support/authorization-failure.ts';
import { inThisProcess } from '../../../../test/support/cli-process.ts';
import { inFlags } from './in-flags.ts';

const metadata = createWorld().laws.server as Readonly<Record<string, unknown>>;

/** The changes of a world that make its login fail, the options of who signs in there, and the flags that are named. */
const failures: readonly (readonly [server: object, options: Partial<OAuthOptions>, flags: RegExp])[] = [
  [{ registration_endpoint: undefined }, {}, /its id with --client-id and --issuer$/],
  [{}, { client: { id: 'a', issuer: 'https://b.example' } }, /^--client-id is for https:\/\/b\.example,/],
  [{}, { issuers: ['https://b.example'] }, /none of which is that of --issuer$/],
  [
    { code_challenge_methods_supported: undefined },
    {},
    /with --issuer https:\/\/as\.example --as-metadata '\{"code_challenge_methods_supported":\["S256"\]\}'$/,
  ],
  [{ token_endpoint: 'https://10.0.0.1/token' }, {}, /allow it with --network-allow 10\.0\.0\.1$/],
];

for (const [server, options, words] of failures)
  test(`a failure is told in the flags of the command line: ${words.source}`, async () => {
    const world = createWorld({ server: { ...metadata, ...server } });
    const { message } = await failure(world, options);
    assert.match(inFlags(message), words);
    assert.doesNotMatch(inFlags(message), /\boption\b|\{ allow|servers:/);
  });

test('what a command line cannot mean is told in its flags, too', async () => {
  const url = 'http://127.0.0.1:1/mcp';
  const told = async (...argv: string[]): Promise<string> => (await inThisProcess(['login', ...argv, url])).stderr;
  assert.match(await told('--scope', 'a"b'), /^parley: --scope must be/);
  assert.match(await told('--client-metadata-url', 'http://a.example/c'), /^parley: --client-metadata-url must be/);
  assert.match(await told('--network-allow', 'https://a'), /^parley: --network-allow must have hosts/);
  assert.match(await told('--client-id', 'a', '--issuer', 'b'), /^parley: --client-id must be an id, and --issuer/);
});

test('the setting for an issuer that differs by a slash is told in flags', () => {
  const text =
    "is used; if both are one server, allow it with servers: { 'https://a.example/x': { issuer: 'https://a.example/x/' } }";
  const flags = `--issuer https://a.example/x --as-metadata '{"issuer":"https://a.example/x/"}'`;
  assert.equal(inFlags(text), `is used; if both are one server, allow it with ${flags}`);
});

test('a limit that no flag sets is told without the name of its option', () => {
  assert.equal(
    inFlags('a was given up: more than 3 notifications came before its answer (option maxNotifications)'),
    'a was given up: more than 3 notifications came before its answer',
  );
  assert.equal(inFlags('line is longer than 9 bytes, the limit that maxLineBytes sets'), 'line is longer than 9 bytes');
});

test('words of a server that are none of ours stay as they are', () => {
  const text = 'the client must have its id, and options: { a: 1 }';
  assert.equal(inFlags(text), text);
});
