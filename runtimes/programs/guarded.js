/** What every runtime is asked to do with a guarded server: to show where tokens are given, to refuse, to want more, and to let in. */
import { connect } from 'parley-mcp/client';
import { createHandler } from 'parley-mcp/http';
import { protect } from 'parley-mcp/protect';
import { createServer } from 'parley-mcp/server';
import { testIssuer } from 'parley-mcp/testing';

/** The URL by which clients would know it behind a proxy, wherever it runs. */
const resource = 'https://mcp.example.com/mcp';
const metadataPath = '/.well-known/oauth-protected-resource/mcp';

/** A guarded server, and who issues its tokens. */
export function guardedServer() {
  const issuer = testIssuer({ audience: resource });
  const server = createServer({ name: 'guarded', version: '1.0.0' });
  server.tool('who', {}, (_, { auth }) => auth.subject);
  server.tool('write', { scopes: ['write'] }, () => 'written');
  return { issuer, guarded: protect(server, { resource, ...issuer.options, scopes: ['read'] }) };
}

/** Each step throws when it was not as it should be. */
const steps = {
  'find where tokens are given': async ({ send, url }) => {
    const answer = await send(new URL(metadataPath, url).href);
    equal((await answer.json()).resource, resource);
  },
  'be refused without a token, and told where there are some': async ({ send, post, url }) => {
    const { status, headers } = await post(send, url, 'who');
    equal(status, 401);
    equal(headers.get('www-authenticate').includes(`resource_metadata="https://mcp.example.com${metadataPath}"`), true);
  },
  'be refused with a token of somebody else': async ({ send, post, url }) => {
    const token = await testIssuer({ audience: resource }).issue({ scopes: ['read'] });
    equal((await post(send, url, 'who', token)).status, 401);
  },
  'be told which scopes a tool needs': async ({ send, post, url, issuer }) => {
    const { status, headers } = await post(send, url, 'write', await issuer.issue({ scopes: ['read'] }));
    equal(status, 403);
    equal(headers.get('www-authenticate').includes('scope="read write"'), true);
  },
  'call a tool as who one is': async ({ send, url, issuer, revision }) => {
    const auth = await issuer.issue({ subject: 'ann', scopes: ['read', 'write'] });
    const client = await connect(url, { auth, fetch: send, revisions: [revision] });
    equal((await client.callTool('who')).content[0].text, 'ann');
    equal((await client.callTool('write')).content[0].text, 'written');
    await client.close();
  },
};

/** Sends a call of a tool in 2026-07-28. */
function post(send, url, tool, token) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  };
  return send(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, _meta } }),
  });
}

/** Runs every step over a URL where a guarded server is served. */
export async function exerciseGuarded(way, url, issuer, send = (to, init) => fetch(to, init)) {
  const results = [];
  for (const revision of ['2025-11-25', '2026-07-28'])
    for (const [step, run] of Object.entries(steps))
      await run({ url, issuer, send, post, revision }).then(
        () => results.push({ way: `${way}, guarded`, revision, step }),
        (error) => results.push({ way: `${way}, guarded`, revision, step, error: String(error).slice(0, 300) }),
      );
  return results;
}

/** In this process, by `Request` and `Response` alone. */
export async function exerciseGuardedWithin() {
  const { guarded, issuer } = guardedServer();
  const handler = createHandler(guarded);
  const send = (to, init) => {
    const request = new Request(to, init);
    return guarded.metadata(request) ?? handler(request);
  };
  return await exerciseGuarded('Request to Response', 'http://127.0.0.1/mcp', issuer, send);
}

function equal(actual, expected) {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} for ${JSON.stringify(expected)}`);
}
