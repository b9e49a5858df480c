import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readVerbBody, VerbError } from './body.ts';
import type { Entrance } from './entrance.ts';
import { refusedAtDoor, refusedAtVerb, type Door } from './guard.ts';
import { commonHeaders } from './policy.ts';
import type { SiteFile } from './site.ts';
import { mayEnter, userAt, type LocalEnds } from './user-at.ts';

/** Address that is listened on: this machine alone, and there is no option for more. */
export const localAddress = '127.0.0.1';

/** Name of the verb that gives a token for a code; it is answered here, since it is about the door alone. */
export const entering = 'enter';

/** Answers what the page posts: an object, or a stream of lines that it writes itself. */
export type Verb = (
  body: Readonly<Record<string, unknown>>,
  reply: { stream(): ServerResponse; readonly signal: AbortSignal },
) => Promise<object | undefined>;

/** Parts of the local process. */
export interface LocalParts {
  readonly files: ReadonlyMap<string, SiteFile>;
  readonly verbs: ReadonlyMap<string, Verb>;
  readonly entrance: Entrance;
  /** Port; 0 for any free one. */
  readonly port: number;
  /** Origin of the frames that the page may have. */
  readonly frames: string;
  /** Finds who is at the other end; the system tells by default. */
  readonly userOf?: (ends: LocalEnds) => number | undefined;
  /** Words of an error for the person, without secrets. */
  readonly words: (error: unknown) => string;
}

/** Local process that listens. */
export interface Local {
  readonly door: Door;
  close(): Promise<void>;
}

/** Serves the page and its verbs on this machine. @throws Error where the port is taken. */
export async function listenLocally(parts: LocalParts): Promise<Local> {
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 60_000 });
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, localAddress, resolve);
  });
  // A server that listens on a port has the address of one.
  const { port } = server.address() as AddressInfo;
  // A connection that fails is its own affair.
  server.on('error', () => {});
  const door: Door = { host: `${localAddress}:${port}` };
  server.on('request', (request, response) => void answer(request, response, parts, door));
  return { door, close: () => closedServer(server) };
}

/** Closes a server and its connections. */
export async function closedServer(server: Server): Promise<void> {
  const over = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await over;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { files, verbs, words, frames, entrance, userOf = userAt }: LocalParts,
  door: Door,
): Promise<void> {
  response.on('error', () => response.destroy());
  for (const [name, value] of Object.entries(commonHeaders(frames))) response.setHeader(name, value);
  try {
    const refusal = refusedAtDoor(request, door);
    if (refusal !== undefined) return end(response, refusal.status, { error: refusal.message });
    const [, name] = /^\/api\/([a-z-]{1,40})$/.exec(request.url ?? '') ?? [];
    if (name === undefined) return sendFile(request, response, files);
    const refused = refusedAtVerb(request, name === entering ? entrance.keys : entrance.tokens);
    if (refused !== undefined) return end(response, refused.status, { error: refused.message });
    if (name === entering) return end(response, 200, { token: entered(request, entrance, userOf) });
    const verb = verbs.get(name);
    if (verb === undefined) return end(response, 404, { error: `there is no verb ${name}` });
    const controller = new AbortController();
    response.on('close', () => controller.abort(new Error('the page went away')));
    // A client that used a code twice used gets no running answer.
    const closing = (): void => void (response.writableEnded || response.destroy());
    entrance.closing(secretOf(request))?.addEventListener('abort', closing, { signal: controller.signal });
    const body = await readVerbBody(request);
    const stream = (): ServerResponse => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
      response.flushHeaders();
      return response;
    };
    const result = await verb(body, { stream, signal: controller.signal });
    if (result !== undefined) end(response, 200, result);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else end(response, error instanceof VerbError ? error.status : 500, { error: words(error) });
  }
}

/** Gives the token for which the code of a request is good. @throws VerbError where it is used up. */
function entered(request: IncomingMessage, entrance: Entrance, userOf: typeof userAt): string {
  return entrance.enter(secretOf(request), mayEnter(userOf(request.socket), process.getuid?.()));
}

function secretOf({ headers }: IncomingMessage): string {
  return (headers.authorization ?? '').replace('Bearer ', '');
}

function sendFile(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  files: ReadonlyMap<string, SiteFile>,
): void {
  // Addresses of other inspectors have a query; the page reads it.
  const file = files.get((url ?? '').replace(/\?.*$/s, ''));
  if (file === undefined) return end(response, 404, { error: 'there is nothing here' });
  if (method !== 'GET' && method !== 'HEAD') return end(response, 405, { error: 'files are read' });
  response.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length });
  response.end(method === 'HEAD' ? undefined : file.bytes);
}

function end(response: ServerResponse, status: number, value: object): void {
  if (response.destroyed || response.writableEnded) return;
  const text = JSON.stringify(value);
  // The rest of an unread body would be parsed as the next request.
  if (status >= 400) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(text);
}
