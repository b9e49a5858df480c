/** Clients of extensions that the door has: what they do without that it was declared is found, and nothing in those that look first. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';
import type { CheckReport } from '../../../packages/cli/src/check/report.ts';
import { connect } from '../../../packages/parley/src/client.ts';

const newest = '2026-07-28';
const uri = 'skill://check/greeting/SKILL.md';

function at(t: TestContext, run: (url: string) => Promise<void>): Promise<CheckReport> {
  return checkClient({
    door: { port: 0 },
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 60_000,
    signal: t.signal,
    onOpen: (origin) => run(`${origin}/mcp`),
  });
}

const verdictOf = ({ rows }: CheckReport): string | undefined => rows.find(({ id }) => id === 'resources-028')?.verdict;
const idsOf = ({ findings }: CheckReport): readonly string[] => findings.map(({ id }) => id);

test('a client that looks into the folder of a skill without that this was declared breaks resources-028', async (t) => {
  const report = await at(t, async (url) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    const method = 'resources/directory/read';
    const params = { uri: 'skill://check/greeting/templates', _meta: meta };
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': newest,
      'mcp-method': method,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url, { method: 'POST', headers, body });
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /-32601/);
  });
  assert.deepEqual([idsOf(report), verdictOf(report)], [['resources-028'], 'breaks']);
});

test('nothing is found in our client that reads skills', async (t) => {
  const report = await at(t, async (url) => {
    const client = await connect(url, { revisions: [newest] });
    const { skills } = (await client.request('skills/list', {})) as { readonly skills: readonly { uri: string }[] };
    assert.deepEqual(
      skills.map((skill) => skill.uri),
      [uri],
    );
    const { contents } = await client.readResource(uri);
    assert.match(JSON.stringify(contents), /name: greeting/);
    await assert.rejects(
      client.request('skills/get', { uri: 'skill://check/none/SKILL.md' }),
      /the skill does not exist/,
    );
    await client.close();
  });
  assert.deepEqual([idsOf(report), verdictOf(report)], [[], 'holds']);
});

test('the official client of skills takes what the door has for right, verified, and looks into no folder', async (t) => {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
  const report = await at(t, async (url) => {
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const skills = new SkillsClient(client);
    assert.deepEqual([skills.supported, skills.directoryRead], [true, false]);
    const [entry] = (await skills.list()).skills;
    assert.ok(entry);
    for (const file of [undefined, 'templates/short.md']) assert.equal((await skills.read(entry, file)).verified, true);
    await assert.rejects(skills.readDirectory('skill://check/greeting/templates'));
    await client.close();
  });
  assert.deepEqual([idsOf(report), verdictOf(report)], [[], 'holds']);
});
