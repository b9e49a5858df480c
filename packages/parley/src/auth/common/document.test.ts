import type { Fetch, FetchRequest } from '../../jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchDocument, type FetchContext } from './document.ts';
import { AuthorizationError } from './errors.ts';
import { networkRules } from './network.ts';

const url = 'https://h.example/metadata';

interface Scripted extends FetchContext {
  readonly asked: (readonly [string, FetchRequest])[];
}

function scripted(answer: (url: string, request: FetchRequest) => Response | Promise<Response>): Scripted {
  const asked: (readonly [string, FetchRequest])[] = [];
  const fetch: Fetch = async (href, request) => {
    asked.push([href, request]);
    return await answer(href, request);
  };
  return { fetch, rules: networkRules(new URL('https://h.example/mcp')), signal: new AbortController().signal, asked };
}

async function reasonOf(context: FetchContext, from = url): Promise<string> {
  const error = await fetchDocument(from, 'the metadata', context).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof AuthorizationError, String(error));
  return error.reason;
}

function redirect(to: string): Response {
  return new Response(null, { status: 302, headers: { location: to } });
}

test('a document is asked for without cookies, and what it says is given', async () => {
  const context = scripted(() => Response.json({ a: 1 }));
  assert.deepEqual(await fetchDocument(url, 'the metadata', context, { 'x-more': '1' }), {
    value: { a: 1 },
    url,
    status: 200,
  });
  const [, request] = context.asked[0] ?? assert.fail();
  assert.equal(request.credentials, 'omit');
  assert.deepEqual(request.headers, { accept: 'application/json', 'x-more': '1' });
});

test('JSON counts under any media type, and a page is no document', async () => {
  const typed = scripted(() => new Response('{"a":1}', { headers: { 'content-type': 'text/plain' } }));
  assert.deepEqual((await fetchDocument(url, 'the metadata', typed)).value, { a: 1 });
  const page = scripted(() => new Response('<html>'));
  assert.equal((await fetchDocument(url, 'the metadata', page)).value, undefined);
});

for (const status of [400, 401, 403, 404, 405, 410])
  test(`HTTP ${status} says that there is none`, async () => {
    const found = await fetchDocument(
      url,
      'the metadata',
      scripted(() => new Response('{}', { status })),
    );
    assert.deepEqual([found.value, found.status], [undefined, status]);
  });

for (const status of [408, 429, 500, 503])
  test(`HTTP ${status} says nothing about what there is`, async () => {
    assert.equal(await reasonOf(scripted(() => new Response('{}', { status }))), 'server-error');
  });

test('a server that is not reached says nothing about what there is', async () => {
  assert.equal(
    await reasonOf(
      scripted(() => {
        throw new TypeError('fetch failed');
      }),
    ),
    'server-error',
  );
});

test('redirects are followed within the origin, three times', async () => {
  const context = scripted((href) =>
    href.endsWith('3') ? Response.json(1) : redirect(`/m${Number(href.at(-1)) + 1 || 1}`),
  );
  assert.deepEqual(await fetchDocument(url, 'the metadata', context), {
    value: 1,
    url: 'https://h.example/m3',
    status: 200,
  });
  assert.equal(await reasonOf(scripted(() => redirect('/again'))), 'discovery');
});

for (const to of [
  'https://evil.example/',
  'http://h.example/',
  'https://h.example:8443/',
  'https://127.0.0.1/',
  'javascript:0',
  '//evil.example/x',
  '',
])
  test(`a redirect to ${JSON.stringify(to)} is not followed [security-012]`, async () => {
    const context = scripted((href) => (href === url ? redirect(to) : Response.json({})));
    assert.equal(await reasonOf(context), 'discovery');
    assert.ok(context.asked.every(([href]) => href.startsWith('https://h.example/')));
  });

test('what may not be reached is not asked for [security-009]', async () => {
  const context = scripted(() => Response.json({}));
  assert.equal(await reasonOf(context, 'https://169.254.169.254/'), 'address-refused');
  assert.equal(await reasonOf(context, 'http://h.example/'), 'insecure-url');
  assert.deepEqual(context.asked, []);
});

test('a body without end is cut off', async () => {
  let cancelled = false;
  const context = scripted(
    () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
          cancel: () => void (cancelled = true),
        }),
      ),
  );
  assert.equal(await reasonOf(context), 'discovery');
  assert.equal(cancelled, true);
});

test('a server that never answers is given up in time, with its body too', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = scripted(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const reason = reasonOf(silent);
  await Promise.resolve();
  t.mock.timers.tick(10_000);
  assert.equal(await reason, 'server-error');
});

test('a signal gives it up with its reason', async () => {
  const controller = new AbortController();
  const context = scripted(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const given = fetchDocument(url, 'the metadata', { ...context, signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
});

test('where redirects are hidden, as in browsers, it is followed and must end at the same origin', async () => {
  const hidden = (end: string): Scripted =>
    scripted((_, request) => {
      // The shape of what browsers give, which no constructor makes.
      if (request.redirect === 'manual')
        return { status: 0, headers: new Headers(), body: null } as unknown as Response;
      return Object.defineProperty(Response.json({ a: 1 }), 'url', { value: end });
    });
  assert.deepEqual(await fetchDocument(url, 'the metadata', hidden('https://h.example/there')), {
    value: { a: 1 },
    url: 'https://h.example/there',
    status: 200,
  });
  assert.equal(await reasonOf(hidden('https://evil.example/there')), 'discovery');
});
