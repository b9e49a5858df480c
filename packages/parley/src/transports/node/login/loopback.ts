import { timingSafeEqual, createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AuthorizationError } from '../../../auth/common/errors.ts';
import type { OpenRedirect, Redirect, RedirectRequest } from '../../../auth/common/redirect.ts';
import { refuseUnknown, type Names } from '../../../options/known-names.ts';
import { donePage, nothingPage, pageHeaders } from './callback-page.ts';
import { openPage } from '../open-page.ts';

/** Options of coming back to this machine; everything has a default. */
export interface LoopbackOptions {
  /** The ports that are registered together, of which the first free one is used; three that the system chooses by default. */
  readonly ports?: readonly number[];
  /** Opens a page for the user; by default in the browser of this machine. It rejects if it cannot. */
  readonly open?: (url: string) => void | Promise<void>;
  /** Receives the URL of the page before it is opened. A program can print it for users who must open it themselves. */
  readonly onUrl?: (url: string) => void;
}

const optionNames: Names<LoopbackOptions> = { ports: 1, open: 1, onUrl: 1 };

/** The path to which browsers come back. */
const path = '/callback';

/**
 * Sends a user to an authorization server through the browser of this machine, and waits for the redirect at a loopback
 * address. It starts to listen before the browser opens, on one port and only during a login. It accepts only the
 * expected `state`. (RFC 8252, sections 7.3 and 8.3; spec 2025-11-25, Authorization, Communication Security.)
 *
 * @throws TypeError for unknown options and invalid ports.
 */
export function loopback(options: LoopbackOptions = {}): Redirect {
  refuseUnknown('loopback', options, optionNames);
  const { ports, open = openPage, onUrl } = options;
  for (const port of ports ?? []) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new TypeError(`${port} is no port: ports are 1 to 65535`);
  }
  const candidates = ports ?? chosenPorts();
  return {
    redirectUris: candidates.map(uriOf),
    async open(registered, signal) {
      signal.throwIfAborted();
      const usable = registered === undefined ? candidates : portsOf(registered);
      const callback = await Callback.listen([...usable, ...candidates.filter((port) => !usable.includes(port))]);
      return callbackRedirect(callback, { open, onUrl });
    },
  };
}

/** The most registered ports that are tried. */
const maxTried = 16;

function portsOf(uris: readonly string[]): readonly number[] {
  const ports = uris.flatMap((uri) => {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    const ours =
      url?.protocol === 'http:' && url.pathname === path && /^(?:127\.0\.0\.1|localhost)$/.test(url.hostname);
    return ours && url.port !== '' ? [Number(url.port)] : [];
  });
  return [...new Set(ports)].slice(0, maxTried);
}

/** Three ports that are mostly free: no service has them, and no system assigns them. */
function chosenPorts(): readonly number[] {
  const first = 10_000 + Math.floor(Math.random() * 20_000);
  return [first, first + 7, first + 23];
}

function uriOf(port: number): string {
  return `http://127.0.0.1:${port}${path}`;
}

interface Opening {
  readonly open: (url: string) => void | Promise<void>;
  readonly onUrl: ((url: string) => void) | undefined;
}

function callbackRedirect(callback: Callback, { open, onUrl }: Opening): OpenRedirect {
  return {
    redirectUri: uriOf(callback.port),
    visit(request, signal) {
      const answer = callback.answer(request, signal);
      try {
        onUrl?.(request.url);
      } catch (error) {
        // No caller waits for the answer then.
        answer.catch(() => undefined);
        throw error;
      }
      // A program that opens pages may last as long as the browser that it started.
      void opened(open, request.url).catch((cause: unknown) => {
        // A user who saw the URL may open it manually.
        if (onUrl === undefined) callback.fail(noBrowser(request, cause));
      });
      return answer;
    },
    close: () => callback.close(),
  };
}

async function opened(open: (url: string) => void | Promise<void>, url: string): Promise<void> {
  await open(url);
}

function noBrowser({ issuer }: RedirectRequest, cause: unknown): AuthorizationError {
  return new AuthorizationError(
    'login-required',
    'no browser could be opened on this machine; sign in where there is one, or open the page yourself (onUrl, --no-browser)',
    { cause, issuer },
  );
}

/** A server on a loopback port that awaits one answer. */
class Callback {
  readonly port: number;
  readonly #server: Server;
  #awaited: { readonly state: string; readonly base: string; readonly came: (url: string) => void } | undefined;
  #ended: ((cause: Error) => void) | undefined;
  /** The connections that have not asked for anything: browsers open some in advance. */
  readonly #silent = new Set<Socket>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on('connection', (socket: Socket) => {
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
    server.on('request', (request, response) => {
      this.#silent.delete(request.socket);
      this.#request(request, response);
    });
  }

  /** Listens at the first of some ports that is free. */
  static async listen(ports: readonly number[]): Promise<Callback> {
    let cause: unknown;
    for (const port of ports) {
      try {
        return new Callback(await listening(port), port);
      } catch (error) {
        cause = error;
      }
    }
    throw new AuthorizationError('login-required', `none of the ports ${ports.join(', ')} is free for the login`, {
      cause,
    });
  }

  /** The URL that a browser brings back with the state of a request. */
  answer({ state, redirectUri }: RedirectRequest, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const abort = (): void => this.#ended?.(signal.reason as Error);
      const settled = (): void => {
        signal.removeEventListener('abort', abort);
        this.#awaited = undefined;
        this.#ended = undefined;
      };
      this.#awaited = {
        state,
        base: redirectUri,
        came: (url) => {
          settled();
          resolve(url);
        },
      };
      this.#ended = (cause) => {
        settled();
        reject(cause);
      };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Ends the wait for the answer. */
  fail(cause: Error): void {
    this.#ended?.(cause);
  }

  close(): void {
    this.fail(new AuthorizationError('denied', 'the login was cancelled'));
    this.#server.close();
    // A connection that a browser keeps open would keep the process alive. One without a request does not count as
    // idle.
    this.#server.closeIdleConnections();
    for (const socket of this.#silent) socket.destroy();
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const url = this.#awaitedUrl(request);
    response.writeHead(url === undefined ? 404 : 200, pageHeaders);
    response.end(request.method === 'HEAD' ? undefined : url === undefined ? nothingPage() : donePage());
    if (url !== undefined) this.#awaited?.came(url);
  }

  /** Only a GET of a page on this machine with the state counts. Any other request has no effect. */
  #awaitedUrl({ method, url = '', headers }: IncomingMessage): string | undefined {
    const awaited = this.#awaited;
    if (awaited === undefined || method !== 'GET' || !/^(?:127\.0\.0\.1|localhost):\d+$/.test(headers.host ?? ''))
      return undefined;
    const base = new URL(awaited.base);
    if (!URL.canParse(url, base.href)) return undefined;
    const came = new URL(url, base.href);
    if (came.origin !== base.origin || came.pathname !== base.pathname) return undefined;
    return came.searchParams.getAll('state').some((state) => isSame(state, awaited.state)) ? came.href : undefined;
  }
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function listening(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ maxHeaderSize: 32_768, requestTimeout: 10_000, keepAliveTimeout: 1 });
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', () => {});
      resolve(server);
    });
  });
}
