/** Apps: who may see their frames, what they may reach, and what they may do at their server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppSourceView, EntryView, RunningAppView } from '../../packages/cli/src/inspect/view.ts';
import { appServer } from '../support/app-server.ts';
import {
  connected,
  inspecting,
  noPage,
  planAt,
  rawRequest,
  rowsOf,
  served,
  type Endable,
  type InspectedScene,
} from '../support/inspected.ts';
import type { InspectOptions } from '../../packages/cli/src/inspect/serve.ts';

const skip = noPage;
const uri = 'ui://apps/dashboard';

interface AppScene extends InspectedScene {
  readonly called: string[];
  run(allow?: readonly string[]): Promise<RunningAppView>;
}

async function withApp(t: Endable, csp?: object, more: Partial<InspectOptions> = {}): Promise<AppScene> {
  const { server, called } = appServer(csp);
  const scene = await inspecting(t, [planAt(await served(t, server), { secrets: ['very-secret-value'] })], more);
  await connected(scene);
  const run = (allow: readonly string[] = []): Promise<RunningAppView> =>
    scene.json<RunningAppView>('app-run', { server: 'A', uri, allow });
  return { ...scene, called, run };
}

/** Addresses of the port of apps: those of one that runs, of one that ended, and others. */
async function routesOf(scene: AppScene): Promise<readonly string[]> {
  const { frame } = await scene.run();
  const { frame: ended, app } = await scene.run();
  await scene.json('app-end', { app });
  const proxy = new URL(frame).pathname;
  const { text } = await rawRequest(scene.apps, proxy, { headers: { host: new URL(scene.apps).host } });
  const inner = new URL(/data-app="([^"]+)"/.exec(text)?.[1] ?? '').pathname;
  return [
    proxy,
    inner,
    new URL(ended).pathname,
    '/',
    '/main.js',
    '/proxy/',
    '/app/',
    `/app/${'x'.repeat(43)}`,
    '/api/feed',
  ];
}

test('every route of the port of apps refuses other hosts, every origin, and what is no frame', { skip }, async (t) => {
  const scene = await withApp(t);
  const { host } = new URL(scene.apps);
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { host: 'evil.example:80' },
    { host: 'localhost' },
    { host: '127.0.0.1' },
    { host: new URL(scene.origin).host },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-mode': 'cors' },
    { origin: scene.origin },
    { origin: scene.apps },
    { origin: 'https://evil.example' },
    { 'sec-fetch-dest': 'document' },
    { 'sec-fetch-dest': 'script' },
    { 'sec-fetch-dest': 'empty' },
  ];
  for (const path of await routesOf(scene))
    for (const headers of foreign) {
      const { status, headers: answered } = await rawRequest(scene.apps, path, { headers: { host, ...headers } });
      assert.equal(status, 403, `${path} ${JSON.stringify(headers)}`);
      assert.match(String(answered['content-security-policy']), /default-src 'none'/);
    }
});

test(
  'every answer of the port of apps has a policy of its own, no CORS header, and nothing of the token',
  { skip },
  async (t) => {
    const scene = await withApp(t);
    const { host } = new URL(scene.apps);
    const paths = await routesOf(scene);
    for (const [at, path] of paths.entries())
      for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
        const { status, headers, text } = await rawRequest(scene.apps, path, { method, headers: { host } });
        // Only the frames of the app that runs are there, and they are only read.
        assert.equal(status, at > 1 ? 404 : method === 'GET' ? 200 : 405, `${method} ${path}`);
        const policy = String(headers['content-security-policy']);
        assert.match(policy, /^default-src 'none'/);
        assert.match(policy, /sandbox/);
        assert.doesNotMatch(policy, /allow-same-origin|allow-popups|allow-top|allow-modals/);
        assert.deepEqual([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer']);
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('access-control')),
          [],
        );
        assert.ok(!text.includes(scene.token) && !JSON.stringify(headers).includes(scene.token));
      }
  },
);

test('an app reaches what it declared and the person allowed by name, and nothing else', { skip }, async (t) => {
  const csp = {
    connectDomains: ['https://api.example.com', 'https://x.example; script-src *', "'unsafe-eval'", '*', 'data:', 7],
    resourceDomains: ['https://*.cdn.example.com', 'https://other.example.com'],
    frameDomains: ['https://frames.example.com'],
  };
  const scene = await withApp(t, csp);
  const source = await scene.json<AppSourceView>('app-source', { server: 'A', uri });
  assert.match(source.html, /The app/);
  assert.deepEqual(source.domains['connectDomains'], ['https://api.example.com']);
  assert.deepEqual(source.refused, ['https://x.example; script-src *', "'unsafe-eval'", '*', 'data:', '7']);
  assert.deepEqual(source.permissions, ['camera']);
  const policyOf = async (allow: readonly string[]): Promise<string> => {
    const { frame } = await scene.run(allow);
    const { host } = new URL(scene.apps);
    const { text } = await rawRequest(scene.apps, new URL(frame).pathname, { headers: { host } });
    const inner = new URL(/data-app="([^"]+)"/.exec(text)?.[1] ?? '').pathname;
    return String((await rawRequest(scene.apps, inner, { headers: { host } })).headers['content-security-policy']);
  };
  assert.doesNotMatch(await policyOf([]), /example/);
  // What the app did not declare is not allowed by whoever posts it.
  assert.doesNotMatch(await policyOf(['https://evil.example', '*']), /example|\*/);
  const policy = await policyOf(['https://api.example.com', 'https://*.cdn.example.com']);
  assert.match(policy, /connect-src https:\/\/api\.example\.com;/);
  assert.match(policy, /script-src 'unsafe-inline' https:\/\/\*\.cdn\.example\.com;/);
  assert.match(policy, /frame-src 'none';/);
  assert.match(policy, /form-action 'none'; sandbox allow-scripts allow-forms$/);
});

test('what is no app is not run', { skip }, async (t) => {
  const scene = await withApp(t);
  for (const [other, status] of [
    ['ui://apps/plain', 409],
    ['https://evil.example/', 400],
    ['file:///etc/passwd', 400],
  ] as const)
    for (const verb of ['app-source', 'app-run']) {
      const response = await scene.post(verb, {
        server: 'A',
        uri: other,
        ...(verb === 'app-run' ? { allow: [] } : {}),
      });
      assert.equal(response.status, status, `${verb} ${other}`);
    }
});

test(
  'an app calls the tools that are for apps, of its own server, and none where only is read',
  { skip },
  async (t) => {
    const scene = await withApp(t);
    const { app } = await scene.run();
    const call = (of: InspectedScene, name: string, id = app): Promise<Response> =>
      of.post('app-call', { app: id, name });
    assert.match(await (await call(scene, 'refresh')).text(), /refreshed/);
    assert.equal((await call(scene, 'show')).status, 200);
    for (const name of ['secretly', 'unknown'])
      assert.match(await (await call(scene, name)).text(), /^\{"refused":.*not for apps/);
    await scene.json('app-end', { app });
    assert.equal((await call(scene, 'refresh')).status, 410);
    assert.deepEqual(scene.called, ['refresh', 'show']);
    const reading = await withApp(t, undefined, { isReadOnly: true });
    const { app: other } = await reading.run();
    assert.match(await (await call(reading, 'refresh', other)).text(), /^\{"refused":.*--read-only/);
    assert.deepEqual(reading.called, []);
  },
);

test('a link is opened that an app asked for, once, and is of the web', { skip }, async (t) => {
  const opened: string[] = [];
  const openPage = (url: string): Promise<void> => {
    opened.push(url);
    return Promise.resolve();
  };
  const scene = await withApp(t, undefined, { openPage });
  const { app } = await scene.run();
  const url = 'https://example.com/there?x=1';
  assert.equal((await scene.post('app-link', { app, url })).status, 403);
  for (const bad of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vscode://x', 'nonsense'])
    assert.deepEqual(Object.keys(await scene.json('app-asks-link', { app, url: bad })), ['refused'], bad);
  assert.deepEqual(await scene.json('app-asks-link', { app, url }), { url, host: 'example.com' });
  assert.equal((await scene.post('app-link', { app, url: 'https://example.com/' })).status, 403);
  assert.equal((await scene.post('app-link', { app, url })).status, 200);
  assert.equal((await scene.post('app-link', { app, url })).status, 403);
  assert.deepEqual(opened, [url]);
});

test('what an app and the page say is recorded in a lane of its own, without secrets', { skip }, async (t) => {
  const scene = await withApp(t);
  const { app } = await scene.run();
  const ask = { jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { appInfo: { name: 'very-secret-value' } } };
  const messages = [
    { from: 'app', text: JSON.stringify(ask) },
    { from: 'host', text: '{"jsonrpc":"2.0","id":1,"result":{}}' },
    { from: 'host', text: 7 },
  ];
  await scene.json('app-heard', { app, messages });
  await scene.line('rows', ({ rows }) => rows.some(({ lane }) => lane === 'app'));
  const rows = rowsOf(scene).filter(({ lane }) => lane === 'app');
  assert.deepEqual(
    rows.map(({ from, kind, what }) => [from, kind, what]),
    [
      ['server', 'request', 'ui/initialize'],
      ['client', 'result', 'ui/initialize'],
    ],
  );
  assert.deepEqual([rows[0]?.pair, rows[0]?.broken], [rows[1]?.n, undefined]);
  const { entry } = await scene.json<EntryView>('entry', { n: rows[0]?.n });
  assert.doesNotMatch(JSON.stringify([entry, scene.lines]), /very-secret-value/);
});
