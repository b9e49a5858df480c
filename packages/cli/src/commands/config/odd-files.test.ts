/**
 * Files as people keep them for hosts: what Parley starts, and what the hosts do that the table knows of. The official SDKs,
 * 1.32.2 and 2.4.0, read no such files, so there is nothing of theirs to compare with.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { describe, test, type TestContext } from 'node:test';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { readConfig, type Config } from './config.ts';

/** A program that sends its arguments and the variables of the file as a message, and waits for its end. */
const spy = `process.stdin.resume().on('end', () => process.exit());
const { KEY, PORT, FLAG, OFF, ID, FILED } = process.env;
console.log(JSON.stringify({ argv: process.argv.slice(1), env: { KEY, PORT, FLAG, OFF, ID, FILED } }));`;

interface OddFile {
  readonly title: string;
  /** The file, with `SPY` for the words of the program. */
  readonly text: string;
  /** What hosts do, as their documentation says it. */
  readonly hosts: string;
  /** Arguments and variables that the server `a` gets. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Addresses of the servers, by name. */
  readonly servers?: Readonly<Record<string, string>>;
  /** Beginnings of the only problem and the only warning, after the name of the file. */
  readonly problem?: string;
  readonly warning?: string;
}

const started = (fields: string): string => `{ "mcpServers": { "a": { "command": NODE, "args": [SPY], ${fields} } } }`;

const files: readonly OddFile[] = [
  {
    title: 'an argument names a variable that the entry sets',
    text: '{ "mcpServers": { "a": { "command": NODE, "args": [SPY, "Authorization:${KEY}"], "env": { "KEY": "Bearer 1" } } } }',
    hosts: 'Claude Desktop passes it as it stands; mcp-remote, whose README has this file, reads the variable itself',
    argv: ['Authorization:${KEY}'],
    env: { KEY: 'Bearer 1' },
  },
  {
    title: 'an argument names a variable that the entry passes on',
    text: '{ "mcpServers": { "a": { "command": NODE, "args": [SPY, "${KEY}"], "env": { "KEY": "${KEY}" } } } }',
    hosts: 'Claude Code puts the variable of its environment into both',
    argv: ['of-the-environment'],
    env: { KEY: 'of-the-environment' },
  },
  {
    title: 'numbers and truth values stand among arguments and variables',
    text: `{ "mcpServers": { "a": { "command": NODE, "args": [SPY, "--port", 8080, true, 12345678901234567890],
      "env": { "PORT": 8080, "FLAG": false, "ID": 12345678901234567890 } } } }`,
    hosts: 'VS Code takes numbers as variables; Claude Desktop refuses them',
    argv: ['--port', '8080', 'true', '12345678901234567890'],
    env: { PORT: '8080', FLAG: 'false', ID: '12345678901234567890' },
  },
  {
    title: 'the name of a variable begins with a digit',
    text: started('"env": { "KEY": "${1:-q}", "PORT": "${2FA:-}" }'),
    hosts: 'Claude Code knows ${NAME:-default}, and which names it takes is not known',
    argv: [],
    env: { KEY: 'q', PORT: '' },
  },
  {
    title: 'a variable is null',
    text: started('"env": { "OFF": null, "KEY": "1" }'),
    hosts: 'VS Code unsets the variable',
    argv: [],
    env: { KEY: '1' },
  },
  {
    title: 'a variable is written as in a shell',
    text: started('"env": { "KEY": "$KEY", "PORT": "$5 a month" }'),
    hosts: 'Gemini CLI resolves it; others pass it as it stands',
    argv: [],
    env: { KEY: 'of-the-environment', PORT: '$5 a month' },
  },
  {
    title: 'variables are in a file of their own',
    text: started('"envFile": "${workspaceFolder}/.env", "env": { "KEY": "of-the-entry" }'),
    hosts: 'VS Code and Cursor read it',
    argv: [],
    env: { KEY: 'of-the-entry', FILED: 'of-the-file' },
  },
  {
    title: 'the command is a list',
    text: '{ "mcp": { "a": { "type": "local", "command": [NODE, SPY, "x"], "enabled": true, "environment": { "KEY": "{env:KEY}" } } } }',
    hosts: 'opencode writes it so',
    argv: ['x'],
    env: { KEY: 'of-the-environment' },
  },
  {
    title: 'the command is an object',
    text: '{ "context_servers": { "a": { "source": "custom", "command": { "path": NODE, "args": [SPY, "x"], "env": { "KEY": "1" } } } } }',
    hosts: 'Zed wrote it so in earlier versions',
    argv: ['x'],
    env: { KEY: '1' },
  },
  {
    title: 'comments and trailing commas',
    text: `{
      // The "servers" of the team, at https://example.com
      "mcpServers": {
        "a": { "command": NODE, "args": [SPY, "// no comment", "/* nor this */,}",], }, /* last */
      },
    }`,
    hosts: 'VS Code and Zed read them; Claude Desktop does not',
    argv: ['// no comment', '/* nor this */,}'],
    env: {},
  },
  {
    title: 'servers are switched off in each way',
    text: `{ "mcpServers": { "a": { "url": "https://a.example/mcp" }, "b": { "url": "https://b.example/mcp", "enabled": false },
      "c": { "url": "https://c.example/mcp", "disabled": true }, "d": { "url": "https://d.example/mcp", "isActive": false },
      "e": { "url": "https://e.example/mcp", "enabled": "false" } } }`,
    hosts: 'enabled: Zed, opencode, Codex; disabled: Cline, Windsurf, Kiro; isActive: Cherry Studio',
    servers: { a: 'https://a.example/mcp' },
  },
  {
    title: 'each name of a URL and of a transport',
    text: `{ "servers": { "a": { "serverUrl": "https://a.example/mcp" }, "b": { "httpUrl": "https://b.example/mcp", "trust": true },
      "c": { "type": "streamable_http", "url": "https://c.example/mcp", "headers": { "X-N": 1 } },
      "d": { "type": "remote", "url": "https://d.example/mcp" }, "e": { "transport": "SSE", "url": "https://e.example/sse" } } }`,
    hosts: 'serverUrl: Windsurf; httpUrl: Gemini CLI; remote: opencode',
    servers: {
      a: 'https://a.example/mcp',
      b: 'https://b.example/mcp',
      c: 'https://c.example/mcp',
      d: 'https://d.example/mcp',
      e: 'https://e.example/sse',
    },
  },
  {
    title: 'keys for the page of a host, and other settings in the file',
    text: `{ "theme": "dark", "inputs": [], "mcp": { "excluded": ["b"] }, "mcpServers": {
      "a": { "url": "https://a.example/mcp", "autoApprove": ["x"], "alwaysAllow": [], "description": "d", "timeout": 60 },
      "b": { "url": "https://b.example/mcp" } } }`,
    hosts: 'autoApprove, alwaysAllow: Cline, Roo, Kiro; mcp.excluded: Gemini CLI',
    servers: { a: 'https://a.example/mcp' },
  },
  {
    title: 'a file of entries alone',
    text: '{ "a": { "url": "https://a.example/mcp" }, "b": { "type": "http", "url": "https://b.example/mcp" } }',
    hosts: 'not known',
    servers: { a: 'https://a.example/mcp', b: 'https://b.example/mcp' },
  },
  {
    title: 'settings of VS Code',
    text: '{ "editor.tabSize": 2, "mcp": { "inputs": [], "servers": { "a": { "url": "https://a.example/mcp" } } } }',
    hosts: 'VS Code kept servers there before it had mcp.json',
    servers: { a: 'https://a.example/mcp' },
  },
  {
    title: 'a server of another file is switched off',
    text: '{ "mcp": { "a": { "type": "local", "command": [NODE, SPY], "enabled": true }, "org": { "enabled": false } } }',
    hosts: 'opencode switches off a server of its organization so',
    argv: [],
    env: {},
  },
  {
    title: 'one entry of opencode is wrong',
    text: '{ "mcp": { "a": { "type": "local", "command": [NODE, SPY] }, "b": { "comand": ["x"] }, "c": null } }',
    hosts: 'opencode refuses the file',
    argv: [],
    env: {},
    problem:
      'mcp.b: needs "command", for a server to start, or "url", for one that runs; comand may be meant as "command"',
  },
  {
    title: 'a variable is the content of a file',
    text: started('"env": { "KEY": "{file:.env2}", "ID": "${file:.env2}", "PORT": "Bearer {file:./.env2}" }'),
    hosts: 'opencode: {file:path}; Windsurf: ${file:path}',
    argv: [],
    env: { KEY: 'of-the-second-file', ID: 'of-the-second-file', PORT: 'Bearer of-the-second-file' },
  },
  {
    title: 'a variable is the content of a file that is not there',
    text: `{ "mcp": { "a": { "command": [NODE, SPY] }, "b": { "command": ["x"], "environment": { "KEY": "{file:~/no/such}" } } } }`,
    hosts: 'opencode refuses the file',
    argv: [],
    env: {},
    problem: 'mcp.b.environment.KEY: the file ~/no/such cannot be read: the file does not exist',
  },
  {
    title: 'keys are null',
    text: `{ "servers": null, "mcpServers": { "a": { "command": NODE, "args": [SPY], "url": null, "env": null, "cwd": null, "headers": null,
      "type": null, "disabled": null, "enabled": null, "timeout": null, "oauth": null, "tools": null, "more": null }, "b": null } }`,
    hosts: 'VS Code and Claude Code write what is not set as null',
    argv: [],
    env: {},
  },
  {
    title: 'the first of two names of a key is null',
    text: '{ "mcpServers": { "a": { "command": null, "args": null, "httpUrl": null, "url": "https://a.example/mcp" } } }',
    hosts: 'not known',
    servers: { a: 'https://a.example/mcp' },
  },
  {
    title: 'a server is an extension of Zed',
    text: `{ "context_servers": { "a": { "source": "custom", "command": NODE, "args": [SPY] },
      "gh": { "source": "extension", "enabled": true, "settings": {} } } }`,
    hosts: 'Zed starts what the extension says',
    argv: [],
    env: {},
    problem: 'context_servers.gh.source: names an extension, which only Zed starts; write "command" or "url"',
  },
  {
    title: 'a client is registered at Cursor',
    text: `{ "mcpServers": { "a": { "url": "https://a.example/mcp",
      "auth": { "CLIENT_ID": "x", "CLIENT_SECRET": "y", "scopes": ["s"], "issuer": "https://login.example" } },
      "b": { "url": "https://b.example/mcp", "auth": { "CLIENT_ID": "x" } } } }`,
    hosts: 'Cursor shows the client to whatever authorization server the server names',
    servers: { a: 'https://a.example/mcp' },
    problem:
      'mcpServers.b.auth.issuer: is missing: a client is known to one authorization server and shown to no other',
  },
  {
    title: 'a client of Gemini CLI names no issuer',
    text: `{ "mcpServers": { "a": { "httpUrl": "https://a.example/mcp", "authProviderType": "google_credentials" },
      "b": { "httpUrl": "https://b.example/mcp", "oauth": { "enabled": true, "clientId": "x", "tokenUrl": "https://t.example" } } } }`,
    hosts: 'Gemini CLI uses the URLs as they are',
    servers: { a: 'https://a.example/mcp' },
    problem: 'mcpServers.b.oauth.issuer: is missing:',
    warning: 'mcpServers.a.authProviderType is ignored: only Gemini CLI reads it; sign in, or write "headers"',
  },
  {
    title: 'the metadata of the issuer are at a URL',
    text: `{ "mcpServers": { "a": { "type": "http", "url": "https://a.example/mcp", "headersHelper": "x",
      "oauth": { "clientId": "x", "callbackPort": 8080,
        "authServerMetadataUrl": "https://login.example/.well-known/openid-configuration" } },
      "b": { "url": "https://b.example/mcp", "oauth": { "clientId": "x", "authServerMetadataUrl": "https://l.example/m" } } } }`,
    hosts: 'Claude Code reads them there, and runs the headersHelper',
    servers: { a: 'https://a.example/mcp' },
    problem: 'mcpServers.b.oauth.authServerMetadataUrl: is at no well-known path; write "issuer" instead',
    warning: 'mcpServers.a.headersHelper is ignored: only Claude Code runs it; write "headers"',
  },
];

async function read(t: TestContext, text: string): Promise<Config> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-odd-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.env'), 'KEY=of-the-file\nFILED="of-the-file"\n');
  writeFileSync(join(folder, '.env2'), 'of-the-second-file\n');
  const file = join(folder, 'servers.json');
  const words = `"-e", ${JSON.stringify(spy)}, "--"`;
  writeFileSync(
    file,
    text.replaceAll('NODE', JSON.stringify(process.execPath)).replaceAll('SPY', () => words),
  );
  return await readConfig(file, { env: { KEY: 'of-the-environment' }, stderr });
}

/** The first message of a server. */
async function firstMessage(way: Transport | undefined): Promise<unknown> {
  let close: (() => Promise<void>) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      void way?.open({ message: resolve, problem: reject, closed: reject }).then((channel) => {
        close = () => channel.close();
      }, reject);
    });
  } finally {
    await close?.();
  }
}

describe('files of hosts', { concurrency: 2 }, () => {
  for (const { title, text, argv, env, servers, problem, warning } of files)
    test(title, async (t) => {
      const { upstreams, problems, warnings } = await read(t, text);
      for (const [found, begin] of [
        [problems, problem],
        [warnings, warning],
      ] as const) {
        assert.equal(found.length, begin === undefined ? 0 : 1, found.join('\n'));
        assert.ok(begin === undefined || found[0]?.includes(`servers.json: ${begin}`), found[0]);
      }
      if (servers !== undefined) {
        const found = Object.entries(upstreams).map(([name, { reach }]) => [name, reach({}).description]);
        assert.deepEqual(Object.fromEntries(found), servers);
      }
      if (argv === undefined) return;
      const message = await firstMessage(upstreams['a']?.reach({}));
      assert.ok(isObject(message));
      assert.deepEqual([message['argv'], message['env']], [argv, env]);
    });

  test('a time-out is in seconds or in milliseconds', async (t) => {
    const of = async (timeout: number | string): Promise<number | undefined> =>
      (await read(t, JSON.stringify({ a: { url: 'https://a.example', timeout } }))).upstreams['a']?.timeoutMs;
    assert.deepEqual(await Promise.all([60, 3_600, 30_000, 0].map(of)), [60_000, 3_600_000, 30_000, undefined]);
    assert.deepEqual(await Promise.all(['60', '1.5', '30000', '0'].map(of)), [60_000, 1_500, 30_000, undefined]);
  });

  test('a time-out that is another text is a problem', async (t) => {
    for (const timeout of ['', ' ', '-1', '1e3', 'soon']) {
      const { problems } = await read(t, JSON.stringify({ a: { url: 'https://a.example', timeout } }));
      assert.match(problems.join(), /a\.timeout: must be seconds up to 3600, or milliseconds above/);
    }
  });

  /** The key under which each host has its servers, and an entry in its words. */
  const ofHosts: Readonly<Record<string, readonly [key: string, entry: object]>> = {
    'Claude Code': ['mcpServers', { type: 'http', url: 'https://a.example/mcp' }],
    'VS Code': ['servers', { type: 'http', url: 'https://a.example/mcp' }],
    Cursor: ['mcpServers', { url: 'https://a.example/mcp' }],
    Windsurf: ['mcpServers', { serverUrl: 'https://a.example/mcp' }],
    Zed: ['context_servers', { source: 'custom', url: 'https://a.example/mcp' }],
    Cline: ['mcpServers', { type: 'streamableHttp', url: 'https://a.example/mcp' }],
    'Gemini CLI': ['mcpServers', { httpUrl: 'https://a.example/mcp' }],
    'LM Studio': ['mcpServers', { url: 'https://a.example/mcp' }],
  };
  for (const [host, [key, entry]] of Object.entries(ofHosts))
    test(`a file of ${host} is read as it is`, async (t) => {
      const { upstreams, problems, warnings } = await read(t, JSON.stringify({ [key]: { a: entry } }));
      assert.deepEqual([problems, warnings], [[], []]);
      assert.equal(upstreams['a']?.reach({}).description, 'https://a.example/mcp');
    });

  for (const [name, format, text] of [
    ['config.toml', 'TOML', '[mcp_servers.a]\ncommand = "node"\n'],
    ['config.yaml', 'YAML', 'extensions:\n  a:\n    cmd: node\n'],
  ] as const)
    test(`a file in ${format} is named as such`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'parley-odd-'));
      const file = join(folder, name);
      writeFileSync(file, text);
      await assert.rejects(readConfig(file, { env: {}, stderr }), ({ message }: Error) =>
        message.includes(`${name} is ${format}; write its servers as JSON`),
      );
      rmSync(folder, { recursive: true });
    });
});
