/** The server of a page: it has the page, what the page runs, and nothing else. */

import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { originOf } from './listening.ts';

const program = fileURLToPath(new URL('./browser-page.ts', import.meta.url));

/** A page that is served. */
export interface ServedPage {
  readonly origin: string;
  /** Its address, for one way to sign in. */
  url(redirect: 'popup' | 'page', more?: object): string;
  /** Says for which server it is. */
  serveFor(server: string): void;
}

/** Serves the page, bundled as a browser takes it, until the end of the test. */
export async function servedPage(t: Pick<TestContext, 'after'>): Promise<ServedPage> {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const script = outputFiles[0]?.text ?? '';
  const ways = new Map<string, object>();
  let server = '';
  const http = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    const way = ways.get(pathname);
    const [type, text] =
      pathname === '/page.js' ? ['text/javascript', script] : ['text/html', htmlFor({ ...way, server })];
    response.writeHead(way === undefined && pathname !== '/page.js' ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
    });
    response.end(text);
  });
  const origin = await originOf(t, http);
  return {
    origin,
    url(redirect, more = {}) {
      const path = `/${redirect}-${ways.size}`;
      ways.set(path, { redirect, ...more });
      return `${origin}${path}`;
    },
    serveFor: (url) => (server = url),
  };
}

function htmlFor(settings: object): string {
  return `<!doctype html><meta charset="utf-8"><title>A page</title>
<button id="call">Call</button> <button id="logout">Sign out</button> <button id="again" hidden>Go on</button>
<output id="said"></output>
<script>globalThis.settings = ${JSON.stringify(settings)}</script><script type="module" src="/page.js"></script>`;
}
