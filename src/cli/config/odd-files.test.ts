/** Files as people keep them for hosts: what Parley starts, and what the hosts do that the table knows of. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { describe, test, type TestContext } from 'node:test';
import { isObject } from '../../jsonrpc/message.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
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
];

async function read(t: TestContext, text: string): Promise<Config> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-odd-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.env'), 'KEY=of-the-file\nFILED="of-the-file"\n');
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
  for (const { title, text, argv, env, servers } of files)
    test(title, async (t) => {
      const { upstreams, problems, warnings } = await read(t, text);
      assert.deepEqual([problems, warnings], [[], []]);
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
    const of = async (timeout: number): Promise<number | undefined> =>
      (await read(t, `{ "a": { "url": "https://a.example", "timeout": ${timeout} } }`)).upstreams['a']?.timeoutMs;
    assert.deepEqual(await Promise.all([60, 3_600, 30_000, 0].map(of)), [60_000, 3_600_000, 30_000, undefined]);
  });

  test('a file in another format is named as such', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-odd-'));
    const file = join(folder, 'config.toml');
    writeFileSync(file, '[mcp_servers.a]\ncommand = "node"\n');
    await assert.rejects(readConfig(file, { env: {}, stderr }), /config\.toml is TOML; write its servers as JSON/);
    rmSync(folder, { recursive: true });
  });
});
