import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { entries, type Entrance, type Wire } from '../../../../../../../test/support/http-entries.ts';
import type { Servable } from '../../../../server/runtime/request-handler.ts';
import { createServer } from '../../../../server.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

function page(path: string = '/mcp', headers: Readonly<Record<string, string>> = {}): Wire {
  return { method: 'GET', path, headers: { accept: browser, ...headers } };
}

const server = createServer({ name: 'secretive', version: '1' });
const stateless = createServer({ name: 'secretive', version: '1' }, { revisions: ['2026-07-28'] });

for (const [name, entry] of Object.entries(entries)) {
  const opened = async (t: TestContext, served: Servable): Promise<Entrance> => {
    const entrance = await entry(served);
    t.after(() => entrance.close());
    return entrance;
  };

  test(`${name} shows a browser what the address is, with the configuration for a client`, async (t) => {
    for (const served of [server, stateless]) {
      const { status, headers, text } = await (await opened(t, served)).send(page('/mcp?key=s3cret'));
      assert.equal(status, 200);
      assert.match(headers['content-type'] ?? '', /^text\/html/);
      assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/);
      assert.match(text, /<h1>This is an MCP server<\/h1>/);
      assert.match(text, /&#34;type&#34;: &#34;http&#34;,\n {6}&#34;url&#34;: &#34;http:\/\/[a-z0-9.:]+\/mcp&#34;/);
      assert.doesNotMatch(text, /<script|s3cret|secretive/);
    }
  });

  test(`${name} answers clients as before`, async (t) => {
    const entrance = await opened(t, stateless);
    for (const accept of ['text/event-stream', 'application/json, text/html', 'application/json', '*/*'])
      assert.equal((await entrance.send({ method: 'GET', path: '/mcp', headers: { accept } })).status, 405, accept);
    const posted = await entrance.send({ method: 'POST', path: '/mcp', headers: { accept: browser }, body: '{}' });
    assert.doesNotMatch(posted.text, /<h1>/);
    assert.equal((await entrance.send(page('/mcp', { host: 'evil.example' }))).status, 403);
  });
}

test('the address on the page is escaped, and secure where the browser or a proxy says so', async () => {
  const [odd, entrance] = [`/<b>"&'`, '/mcp'].map((path) =>
    entries['createHttpHandler']?.(server, { path, allowedHosts: ['mcp.example'] }),
  );
  const { text = '' } = (await (await odd)?.send(page(`/<b>"&'`))) ?? {};
  assert.match(text, /http:\/\/localhost:3000\/&#60;b&#62;\\&#34;&#38;&#39;&#34;/);
  const addresses = [
    [{ host: 'mcp.example', 'sec-fetch-site': 'none' }, 'https://mcp.example/mcp'],
    [{ host: 'mcp.example', 'x-forwarded-proto': 'https' }, 'https://mcp.example/mcp'],
    [{ host: 'mcp.example' }, 'http://mcp.example/mcp'],
    [{ host: 'localhost:3000', 'sec-fetch-site': 'none' }, 'http://localhost:3000/mcp'],
  ] as const;
  for (const [headers, url] of addresses)
    assert.ok((await (await entrance)?.send(page('/mcp', headers)))?.text.includes(url), url);
});
