import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closedServer, localAddress } from '../http/listen.ts';
import { commonHeaders } from '../http/policy.ts';
import { appPolicy } from './app-policy.ts';
import { proxyPage, proxyPolicy } from './proxy-page.ts';
import type { RunningApps } from './running-apps.ts';

/** The port of apps, which is another origin than that of the page. */
export interface AppsPort {
  /** Its origin: `http://127.0.0.1:…`. */
  readonly origin: string;
  /** Says which page may have apps in it. Before, none may. */
  servePage(origin: string): void;
  close(): Promise<void>;
}

/** Listens for the frames of apps on this machine. It takes nothing, and has nothing but what runs. */
export async function listenForApps(apps: RunningApps): Promise<AppsPort> {
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 60_000 });
  server.maxConnections = 32;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, localAddress, resolve);
  });
  // A connection that fails is its own affair.
  server.on('error', () => {});
  // A server that listens on a port has the address of one.
  const { port } = server.address() as AddressInfo;
  const host = `${localAddress}:${port}`;
  let page: string | undefined;
  server.on('request', (request, response) => {
    request.resume();
    answer(request, response, { apps, host, page });
  });
  return {
    origin: `http://${host}`,
    servePage(origin) {
      page = origin;
    },
    close: () => closedServer(server),
  };
}

interface Surroundings {
  readonly apps: RunningApps;
  readonly host: string;
  readonly page: string | undefined;
}

/** Answers a loaded frame. Other requests are not expected. */
function answer({ method, headers, url = '' }: IncomingMessage, response: ServerResponse, around: Surroundings): void {
  const { apps, host, page } = around;
  response.on('error', () => response.destroy());
  for (const [name, value] of Object.entries(commonHeaders(''))) response.setHeader(name, value);
  const refuse = (status: number, words: string): void => {
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox");
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(words);
  };
  if (headers.host !== host || isScript(headers)) return refuse(403, 'frames of the page alone are served');
  const into = headers['sec-fetch-dest'];
  if (into !== undefined && into !== 'iframe') return refuse(403, 'frames of the page alone are served');
  const found = page === undefined ? undefined : apps.at(url);
  if (found === undefined || page === undefined) return refuse(404, 'there is nothing here');
  if (method !== 'GET') return refuse(405, 'frames are read');
  const { app, part } = found;
  const origins = { page, apps: `http://${host}` };
  const isProxy = part === 'proxy';
  const text = isProxy ? proxyPage(`${origins.apps}/app/${app.paths.app}`, page) : app.html;
  response.setHeader('content-security-policy', isProxy ? proxyPolicy(origins) : appPolicy(app.allowed));
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(text);
}

/** Tells whether a script asks: a frame that is loaded has no Origin, or none that is one where the frame around it has none. */
function isScript({ origin, 'sec-fetch-mode': mode }: IncomingMessage['headers']): boolean {
  return origin !== undefined && !(origin === 'null' && mode === 'navigate');
}
