/** Answering requests of Node's HTTP server by functions that speak `fetch`. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BrowserPages } from './page-routes.ts';
import { leftAlone } from './request.ts';

/** Answers a request for a page; false for any other request. It does not throw, whatever is asked and whatever a page does. */
export function answerPage(all: readonly BrowserPages[], request: IncomingMessage, response: ServerResponse): boolean {
  const asked = requestOf(request);
  for (const one of all) {
    const answer = asked && answerOf(one, asked);
    if (answer === undefined) continue;
    answer.then((page) => send(response, page)).catch(() => fail(response));
    return true;
  }
  return false;
}

function answerOf(one: BrowserPages, asked: Request): Promise<Response> | undefined {
  try {
    return one.pages(asked);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Reports a failure without the reason. Another layer, such as a time limit, may have answered by now. */
function fail(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500).end();
}

/** The request in the form of `fetch`; `undefined` if `fetch` has no such form. */
function requestOf(request: FrameworkRequest): Request | undefined {
  const { method = 'GET', headers, url = '/', originalUrl = url } = request;
  // HTTP/2 has a pseudo-header instead of Host. `fetch` has no such headers.
  const base = `http://${headers.host ?? String(headers[':authority'] ?? 'localhost')}`;
  if (!URL.canParse(originalUrl, base)) return undefined;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
  const fields = lines.filter(([name]) => !name.startsWith(':'));
  const init = { method, headers: fields, ...(method === 'GET' || method === 'HEAD' ? {} : bodyOf(request)) };
  try {
    return new Request(new URL(originalUrl, base), init);
  } catch {
    // TRACE, for example.
    return undefined;
  }
}

/** A request as frameworks pass it on: with the parsed body, and with its whole address. */
type FrameworkRequest = IncomingMessage & { readonly originalUrl?: string; readonly body?: unknown };

/** The body. It is only read on demand: the body of a request for another handler stays untouched. */
function bodyOf(request: FrameworkRequest): RequestInit {
  let parts: AsyncIterator<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        parts ??= partsOf(request);
        const part = await parts.next();
        if (part.done === true) controller.close();
        else controller.enqueue(part.value);
      },
      cancel: () => void request.resume(),
    },
    { highWaterMark: 0 },
  );
  // It is no part of the types yet.
  return { body: stream, duplex: 'half' } as RequestInit;
}

function partsOf(request: FrameworkRequest): AsyncIterator<Uint8Array> {
  const { body } = request;
  const isRead = body !== undefined && body !== null && !leftAlone(request, body);
  return isRead ? once(body) : request[Symbol.asyncIterator]();
}

async function* once(body: unknown): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield new TextEncoder().encode(typeof body === 'string' ? body : formOf(body));
}

/** The form that a framework made something of: its fields that are texts, each as often as it was there. */
function formOf(body: unknown): string {
  const fields = new URLSearchParams();
  for (const [name, values] of Object.entries(body ?? {}))
    for (const value of Array.isArray(values) ? values : [values])
      if (typeof value === 'string') fields.append(name, value);
  return fields.toString();
}

async function send(response: ServerResponse, page: Response): Promise<void> {
  const body = Buffer.from(await page.arrayBuffer());
  const cookies = page.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
  for (const [name, value] of page.headers) if (name !== 'set-cookie') response.setHeader(name, value);
  response.writeHead(page.status).end(body);
}
