import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, type Server, type ServerOptions } from '../../../../parley/src/server.ts';
import { memoryTransport } from '../../../../parley/src/testing/memory-transport.ts';
import { renderExplanation } from './render.ts';
import type { Explanation } from './report.ts';
import { explainServer } from './server.ts';

const ui = 'io.modelcontextprotocol/ui';
const date = '2025-11-25';

/** A server of one version with a tool that names a page. */
function withPage(options: ServerOptions): Server {
  const server = createServer({ name: 'weather', version: '1' }, { ...options, revisions: [date] });
  server.tool('weather', { meta: { ui: { resourceUri: 'ui://weather/view' } } }, () => 'sunny');
  server.resource('ui://weather/view', { name: 'view', mimeType: 'text/html;profile=mcp-app' }, () => '<p>Sunny</p>');
  return server;
}

async function explained(server: Server): Promise<{ readonly found: Explanation; readonly text: string }> {
  const found = await explainServer({
    reach: () => memoryTransport(server),
    timeoutMs: undefined,
    wire: false,
    signal: new AbortController().signal,
  });
  return { found, text: renderExplanation(found, 400) };
}

test('the extensions of an Apps server that speaks 2025-11-25 are shown, and each client gets them', async () => {
  const { found, text } = await explained(withPage({ extensions: { [ui]: {} } }));
  assert.deepEqual(found.revisions, [date]);
  assert.deepEqual(Object.keys(found.offer?.capabilities.extensions ?? {}), [ui]);
  assert.match(text, /\n {2}capabilities .*\bextensions \(io\.modelcontextprotocol\/ui\)/);
  const lost = found.bridge?.flatMap(({ losses }) => losses.filter(({ id }) => /extension/.test(id))) ?? assert.fail();
  assert.deepEqual(lost, []);
});

test('no extension is shown of a server that declares none, though its tool names a page', async () => {
  const { found, text } = await explained(withPage({}));
  assert.equal(found.offer?.capabilities.extensions, undefined);
  assert.match(text, /\n {2}capabilities /);
  assert.doesNotMatch(text, /extensions/);
});
