/** Answering requests of Node's HTTP server by functions that speak `fetch`. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BrowserPages } from './page-routes.ts';

/** Answers a request for a page; false for any other request. */
export function answerPage(all: readonly BrowserPages[], request: IncomingMessage, response: ServerResponse): boolean {
  const asked = requestOf(request);
  for (const one of all) {
    const answer = asked && one.pages(asked);
    if (answer === undefined) continue;
    answer.then((page) => send(response, page)).catch(() => response.writeHead(500).end());
    return true;
  }
  return false;
}

/** The request in the words of `fetch`; `undefined` for what it has no words for. */
function requestOf(
  request: IncomingMessage & { readonly originalUrl?: string; readonly body?: unknown },
): Request | undefined {
  const { method = 'GET', headers, url = '/', originalUrl = url } = request;
  const base = `http://${headers.host ?? 'localhost'}`;
  if (!URL.canParse(originalUrl, base)) return undefined;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
  const init = { method, headers: lines, ...(method === 'GET' || method === 'HEAD' ? {} : bodyOf(request)) };
  try {
    return new Request(new URL(originalUrl, base), init);
  } catch {
    // TRACE, say.
    return undefined;
  }
}

/** The body, which is read only by who answers; what a framework has read already is a form. */
function bodyOf(request: IncomingMessage & { readonly body?: unknown }): RequestInit {
  const { body } = request;
  if (typeof body === 'object' && body !== null) return { body: new URLSearchParams(body as Record<string, string>) };
  let parts: AsyncIterator<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        parts ??= request[Symbol.asyncIterator]();
        const part = await parts.next();
        if (part.done === true) controller.close();
        else controller.enqueue(part.value);
      },
      cancel: () => void request.resume(),
    },
    // Nothing is read of what is for others.
    { highWaterMark: 0 },
  );
  // It is no part of the types yet.
  return { body: stream, duplex: 'half' } as RequestInit;
}

async function send(response: ServerResponse, page: Response): Promise<void> {
  const body = Buffer.from(await page.arrayBuffer());
  const cookies = page.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
  for (const [name, value] of page.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  response.writeHead(page.status).end(body);
}
