import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { fetchDocument } from '../../../auth/common/document.ts';
import { networkRules } from '../../../auth/common/network.ts';
import { guardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';

type Resolve = NonNullable<GuardedFetchOptions['resolve']>;

const { signal } = new AbortController();

async function listening(t: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end('{"issuer": "here"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}

/** A resolver that gives one address after the other. */
function leading(...addresses: readonly string[]): { readonly resolve: Resolve; asked(): number } {
  let asked = 0;
  return {
    asked: () => asked,
    resolve: (_, __, done) => done(null, [{ address: addresses[asked++ % addresses.length] ?? '', family: 4 }]),
  };
}

test('a name that leads into an inner network is refused before anything is sent', async () => {
  for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1', '192.168.0.1', '::1']) {
    const { resolve } = leading(address);
    const rules = networkRules(new URL('https://mcp.example/mcp'));
    const fetch = guardedFetch({ resolve }).within(rules);
    await assert.rejects(
      fetchDocument('https://as.example/x', 'the metadata', { fetch, rules, signal }),
      { name: 'AuthorizationError', reason: 'address-refused' },
      address,
    );
  }
});

test('the address that was looked at is the one that is connected to', async (t) => {
  const port = await listening(t);
  const { resolve, asked } = leading('127.0.0.1', '10.0.0.1');
  const rules = networkRules(new URL('http://127.0.0.1:1/mcp'));
  const fetch = guardedFetch({ resolve }).within(rules);
  const found = await fetchDocument(`http://localhost:${port}/x`, 'the metadata', { fetch, rules, signal });
  assert.deepEqual(found.value, { issuer: 'here' });
  assert.equal(asked(), 1);
  // The second time it leads elsewhere.
  await assert.rejects(fetchDocument(`http://localhost:${port}/x`, 'the metadata', { fetch, rules, signal }), {
    reason: 'address-refused',
  });
});

test('a host that is allowed may lie in an inner network', async (t) => {
  const port = await listening(t);
  const { resolve } = leading('127.0.0.1');
  const rules = networkRules(new URL('http://localhost:1/mcp'), { allow: ['localhost'] });
  const fetch = guardedFetch({ resolve }).within(rules);
  const { value } = await fetchDocument(`http://localhost:${port}/`, 'the metadata', { fetch, rules, signal });
  assert.deepEqual(value, { issuer: 'here' });
});

test('a name that leads nowhere fails the request alone', async () => {
  // What resolvers give beside an error is nothing, and they give it later.
  const resolve: Resolve = (_, __, done) => void setImmediate(done, new Error('getaddrinfo ENOTFOUND as.example'));
  const rules = networkRules(new URL('https://mcp.example/mcp'));
  const fetch = guardedFetch({ resolve }).within(rules);
  await assert.rejects(fetchDocument('https://as.example/x', 'the metadata', { fetch, rules, signal }), {
    reason: 'server-error',
  });
});
