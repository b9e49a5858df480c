/** The built site, walked in a browser: its links, its search, its colours and its width. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';
import { noChromium } from './support/chromium.ts';
import { watchPage } from './support/inspect-page.ts';
import { root } from './support/sources.ts';

const dist = join(root, 'site/dist/html');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Words that people search for, each with a page that is among the first three results. */
const searches: Readonly<Record<string, string>> = {
  elicit: 'input',
  'ctx.once': 'input',
  progress: 'how-to/report-progress',
  stdio: 'how-to/serve-over-stdio',
  Express: 'how-to/express',
  Docker: 'how-to/docker',
  nginx: 'how-to/reverse-proxy',
  Redis: 'operations',
  'rate limit': 'how-to/rate-limits',
  OpenTelemetry: 'observability',
  'sign in': 'how-to/sign-in',
  scopes: 'how-to/protect-a-server',
  sampling: 'how-to/call-the-clients-model',
  roots: 'input',
  subscribe: 'how-to/watch-resources',
  completion: 'how-to/prompts',
  middleware: 'middleware',
  transport: 'transports',
  'official SDK': 'migration',
  bridge: 'bridge',
};

/** Questions that users of SDKs asked in public, in other words, each with the page that answers it. */
const questions: Readonly<Record<string, string>> = {
  'read HTTP headers in a tool': 'how-to/read-request-headers',
  'session not found with several replicas': 'operations',
  'long tool call request timed out': 'how-to/report-progress',
  'console.log breaks stdio': 'how-to/serve-over-stdio',
  'Claude Desktop spawn ENOENT': 'how-to/add-to-a-host',
  'CORS browser client': 'how-to/web-pages',
  'API key authentication': 'how-to/authenticate-requests',
  'zod 3 schema': 'requirements',
  'no dynamic client registration': 'how-to/sign-in',
  'serverless Next.js Vercel': 'how-to/nextjs',
  'unit test a server in memory': 'testing',
  'tool list changed': 'how-to/change-definitions',
  'return an image': 'how-to/return-results',
  'state of each user': 'how-to/keep-state',
  'remote server in Claude Desktop': 'how-to/bridge-a-host',
  'isError tool error or protocol error': 'how-to/report-errors',
  'merge several MCP servers': 'how-to/merge-servers',
  'cancel a running tool': 'how-to/report-progress',
  'tools for OpenAI': 'how-to/use-tools-with-a-model',
  'old SSE client': 'how-to/http-sse',
};

/** The file of an address, as a host of static files finds it. */
function fileOf(path: string): string | undefined {
  const place = join(dist, normalize(decodeURIComponent(path)));
  return [place, `${place}.html`, join(place, 'index.html')].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  );
}

async function served(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const file = fileOf(new URL(request.url ?? '/', 'http://site').pathname);
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has the address of one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the site', { skip: noChromium }, () => {
  before(() => void execFileSync(process.execPath, ['scripts/lab.ts', 'site'], { cwd: root, stdio: 'pipe' }));

  test('each link leads to a page and to a place in it', () => {
    const pages = globSync('**/*.html', { cwd: dist });
    assert.ok(pages.length > 40);
    const texts = new Map(pages.map((path) => [join(dist, path), readFileSync(join(dist, path), 'utf8')]));
    const dead = [...texts].flatMap(([file, text]) => {
      const address = `/${file.slice(dist.length + 1).replace(/(?:index)?\.html$/, '')}`;
      return [...text.matchAll(/<a\b[^>]*? href="([^"]+)"/g)].flatMap(([, href = '']) => {
        const url = new URL(href.replaceAll('&amp;', '&'), `http://site${address}`);
        if (url.host !== 'site') return [];
        const target = fileOf(url.pathname);
        if (target === undefined) return [`${address}: ${href}`];
        const anchor = decodeURIComponent(url.hash.slice(1));
        const isThere = anchor === '' || (texts.get(target) ?? '').includes(`id="${anchor}"`);
        return isThere ? [] : [`${address}: ${href}`];
      });
    });
    assert.deepEqual([...new Set(dead)], []);
  });

  test('the page and the Markdown of every page are there, and llms.txt names them', () => {
    const listed = [...readFileSync(join(dist, 'llms.txt'), 'utf8').matchAll(/\]\(\/([^)]+)\)/g)].map(
      ([, path]) => path,
    );
    assert.ok(listed.length > 40);
    for (const path of listed) assert.ok(existsSync(join(dist, path ?? '')), path);
    assert.match(readFileSync(join(dist, 'llms-full.txt'), 'utf8'), /^# Parley$/m);
  });

  for (const [what, table] of [
    ['what people look for', searches],
    ['the answers to questions that users asked', questions],
  ] as const)
    test(`search finds ${what} in its first three results`, async (t) => {
      assert.ok(Object.keys(table).length >= 20);
      const { page } = await watchPage(t, await served(t));
      const missed: string[] = [];
      for (const [words, wanted] of Object.entries(table)) {
        // The box shows the results of its last words first.
        await page.evaluate('sessionStorage.clear()');
        await page.getByRole('button', { name: 'Search' }).click();
        await page.locator('#localsearch-input').fill(words);
        const results = page.locator('#localsearch-list a.result');
        await results.first().waitFor();
        const found = await results.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        const names = [...new Set(found.map((href) => href?.replace(/^\/|#.*$|\.html$/g, '')))];
        if (!names.slice(0, 3).includes(wanted)) missed.push(`${words}: ${names.slice(0, 3).join(', ')}`);
        await page.keyboard.press('Escape');
      }
      assert.deepEqual(missed, []);
    });

  for (const path of ['', 'tutorial', 'how-to/report-errors', 'errors', 'options', 'api/server', 'commands'])
    test(`/${path} is accessible, in the dark too, and fits a narrow screen`, async (t) => {
      const address = await served(t);
      const { page, accessible, readableInDark } = await watchPage(t, address);
      await page.goto(address + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await accessible(path);
      await readableInDark(path);
      await page.setViewportSize({ width: 360, height: 800 });
      const beyond = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      assert.ok(beyond <= 0, `${beyond} pixels beyond the screen`);
    });
});
