import { Agent, ClientRequest, type AgentOptions, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Agent as TlsAgent } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import type { Fetch, FetchRequest, FetchResponse } from '../http/client-fetch.ts';
import { after } from '../jsonrpc/timeout.ts';
import { decoded } from './decode.ts';
import { NodeBody } from './response-body.ts';

/** How connections are made and kept; everything has a default. */
export interface NodeFetchOptions {
  /**
   * The most connections to one origin at once; no limit by default. What comes on top waits. Every stream of events
   * takes one for as long as it is open.
   */
  readonly maxConnections?: number;
  /**
   * How long a connection is kept without a request, in milliseconds; 30 seconds, or less where the server says so.
   * Kept connections do not keep the process alive.
   */
  readonly idleMs?: number;
  /** How long a connection may take to be made, in milliseconds; 10 seconds. */
  readonly connectMs?: number;
  /** Whom to trust over `https:`, and how to prove who asks. */
  readonly tls?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized'>;
}

/** What sends requests over the connections that it keeps. */
export interface NodeFetch extends Fetch {
  /** Closes the connections that have no request now; the next request makes a new one. */
  close(): void;
}

/**
 * Makes a `fetch` for the clients of Node, on `node:http` and `node:https`: it takes a fraction of the time of the global
 * one, and sets no limit of its own to how long a stream may be silent. Make one and give it to all clients, so that they
 * share its connections.
 *
 * It follows no redirects and uses no proxy. A request that failed on a kept connection is sent again on another one where
 * the server cannot have acted on it, or where its method makes that harmless (GET, DELETE); a POST that may have
 * arrived never is.
 *
 * @example
 * const fetch = nodeFetch();
 * const client = await connect('http://127.0.0.1:3000/mcp', { fetch });
 */
export function nodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const connections = new Connections(options);
  const send: Fetch = async (url, request) => {
    const { signal } = request;
    signal.throwIfAborted();
    const parts = connections.partsOf(url, request);
    return await new Promise((resolve, reject) => exchange(parts, request, { resolve, reject }));
  };
  return Object.assign(send, { close: () => connections.close() });
}

/** What `http.request` takes, and the body. */
interface Parts {
  readonly options: RequestOptions;
  readonly body: string | Buffer | undefined;
}

interface Origin {
  readonly url: string;
  readonly options: RequestOptions;
  readonly host: string;
}

/** Headers that say where a message ends or what becomes of its connection: that is not for callers to say. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The kept connections, and how requests are put for them. */
class Connections {
  readonly #options: NodeFetchOptions;
  #plain: Agent | undefined;
  #secure: TlsAgent | undefined;
  /** A client sends most of its requests to one URL. */
  #last: Origin | undefined;

  constructor(options: NodeFetchOptions) {
    this.#options = options;
  }

  /** @throws TypeError for what cannot be sent. */
  partsOf(url: string, { method, headers, body }: FetchRequest): Parts {
    const origin = this.#last?.url === url ? this.#last : (this.#last = this.#originOf(url));
    const fields: string[] = [];
    let ascii = true;
    let host = origin.host;
    let codings = 'gzip, br';
    for (const name of Object.keys(headers)) {
      const value = headers[name] ?? '';
      const lower = name.toLowerCase();
      if (framing.has(lower)) throw new TypeError(`the header ${lower} is not for callers to set`);
      if (lower === 'host') host = value;
      else if (lower === 'accept-encoding') codings = value;
      else fields.push(name, value);
      // eslint-disable-next-line no-control-regex
      ascii &&= !/[^\x00-\x7f]/.test(value);
    }
    fields.push('host', host, 'accept-encoding', codings);
    if (body !== undefined) fields.push('content-length', String(Buffer.byteLength(body)));
    // Node writes a string after the headers in one piece and one encoding, which is not that of such headers.
    return { options: { ...origin.options, method, headers: fields }, body: ascii || !body ? body : Buffer.from(body) };
  }

  close(): void {
    for (const agent of [this.#plain, this.#secure])
      for (const socket of Object.values(agent?.freeSockets ?? {}).flat()) socket?.destroy();
  }

  #originOf(url: string): Origin {
    const { protocol, hostname, port, pathname, search, host, username, password } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${protocol} is not spoken here`);
    if (username !== '' || password !== '') throw new TypeError('a URL must not have credentials in it');
    const options = {
      agent: this.#agent(protocol),
      protocol,
      // A URL has the address of IPv6 in brackets, a connection has it without.
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      ...(port === '' ? {} : { port }),
      path: pathname + search,
    };
    return { url, options, host };
  }

  #agent(protocol: 'http:' | 'https:'): Agent {
    const { maxConnections = Infinity, idleMs = 30_000, connectMs = 10_000, tls } = this.#options;
    const settings: AgentOptions = { keepAlive: true, maxSockets: maxConnections, timeout: idleMs };
    if (protocol === 'http:') return (this.#plain ??= limited(new Agent(settings), 'connect', connectMs));
    // Only who needs TLS loads it.
    const secure = process.getBuiltinModule('node:https');
    return (this.#secure ??= limited(new secure.Agent({ ...settings, ...tls }), 'secureConnect', connectMs));
  }
}

/** Makes an agent give up connections that take too long to be made. */
function limited<Kind extends Agent>(agent: Kind, ready: 'connect' | 'secureConnect', ms: number): Kind {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (...given) => {
    const socket = create(...given);
    const cancel = after(ms, () => socket?.destroy(new Error(`no connection within ${ms} ms`)));
    socket?.once(ready, cancel).once('close', cancel);
    return socket;
  };
  return agent;
}

interface Outcome {
  resolve(response: FetchResponse): void;
  reject(error: unknown): void;
}

/** Sends one request; the outcome is settled once, by the head of the response or by what prevented it. */
function exchange({ options, body }: Parts, request: FetchRequest, { resolve, reject }: Outcome): void {
  const { signal, method } = request;
  let outgoing: ClientRequest;
  let incoming: NodeBody | undefined;
  const over = (): void => signal.removeEventListener('abort', onAbort);
  const onAbort = (): void => {
    over();
    if (incoming === undefined) reject(signal.reason);
    else incoming.fail(signal.reason);
    outgoing.destroy();
  };
  const onResponse = (message: IncomingMessage): void => {
    incoming = new NodeBody(decoded(message), over);
    resolve({ status: message.statusCode ?? 0, headers: new NodeHeaders(message), body: incoming });
  };
  const onError = (error: NodeJS.ErrnoException): void => {
    if (incoming !== undefined || signal.aborted) return;
    if (outgoing.reusedSocket && isHarmless(method, error)) return send();
    over();
    reject(error);
  };
  const send = (): void => {
    outgoing = new ClientRequest(options);
    outgoing.on('response', onResponse);
    // Later errors are those of the response, or of a request that nobody waits for any more.
    outgoing.on('error', onError);
    outgoing.end(body);
  };
  send();
  signal.addEventListener('abort', onAbort);
}

/**
 * Whether a request that failed on a kept connection may be sent again. A failed write means that the server did not get
 * all of the request, so that it cannot have acted on it; of one that was written nobody knows.
 */
function isHarmless(method: string, { syscall }: NodeJS.ErrnoException): boolean {
  return method === 'GET' || method === 'DELETE' || syscall === 'write';
}

class NodeHeaders {
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.#message = message;
  }

  get(name: string): string | null {
    const value = this.#message.headers[name.toLowerCase()];
    if (Array.isArray(value)) return value.join(', ');
    return typeof value === 'string' ? value : null;
  }
}
