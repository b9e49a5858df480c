/** The simulated network: requests that arrive late or never, answers that are lost, servers that fail. */

import type { Fetch, FetchRequest, FetchResponse } from '../../packages/parley/src/jsonrpc/fetch.ts';
import type { Process, World } from '../simulation/world.ts';

/** A request as a server gets it. */
export interface Arrived {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server of one origin. */
export interface ServerCore {
  readonly origin: string;
  /** Its answer; `undefined` where it never gives one. */
  answer(request: Arrived): HostAnswer | undefined;
}

export function answered(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HostAnswer {
  return { status, headers, body: JSON.stringify(body) };
}

/** What is sure to be told of each request. */
export interface Exchange {
  readonly process: Process;
  readonly request: Arrived;
  readonly sentAt: number;
  /** `failed` once whoever sent it knows that nobody knows what came of it. */
  state: 'pending' | 'answered' | 'failed';
}

/** Sees each request as it is sent. */
export interface NetworkWatcher {
  sent(exchange: Exchange): void;
}

/** What happens to one exchange. */
type Course = 'whole' | 'not arrived' | 'answer lost' | 'failed before' | 'failed after' | 'busy';

/** How an exchange that is lost ends: at once, or by nothing at all. */
type Loss = 'reset' | 'silence';

const troubles: readonly Course[] = [
  'not arrived',
  'answer lost',
  'answer lost',
  'failed before',
  'failed after',
  'busy',
];

/** The network of all processes. */
export class Network {
  readonly world: World;
  readonly hosts: ReadonlyMap<string, ServerCore>;
  readonly watcher: NetworkWatcher;
  /** How often an exchange with a token endpoint goes wrong, and how often one of another kind is answered with 503. */
  trouble: { readonly token: number; readonly other: number } = { token: 0, other: 0 };

  constructor(world: World, hosts: readonly ServerCore[], watcher: NetworkWatcher) {
    this.world = world;
    this.hosts = new Map(hosts.map((host) => [host.origin, host]));
    this.watcher = watcher;
  }

  /** What a process fetches with. */
  fetchOf(process: Process): Fetch {
    return (href, request) => this.#exchange(process, href, request);
  }

  #exchange(process: Process, href: string, sent: FetchRequest): Promise<FetchResponse> {
    const { world } = this;
    const { method, headers, body = '', signal } = sent;
    const request: Arrived = { method, url: new URL(href), headers: plain(headers), body };
    const exchange: Exchange = { process, request, sentAt: world.now, state: 'pending' };
    this.watcher.sent(exchange);
    if (request.url.pathname === '/token') world.delicate(process);
    const host = this.hosts.get(request.url.origin);
    const course = this.#course(request);
    const loss: Loss = world.random.pick(['reset', 'silence']);
    return new Promise((resolve, reject) => {
      const fail = (words: string): void => {
        if (exchange.state !== 'pending') return;
        exchange.state = 'failed';
        reject(new Error(words));
      };
      if (signal.aborted) return fail('aborted');
      signal.addEventListener('abort', () => fail('aborted'), { once: true });
      const lose = (): void => {
        if (loss === 'reset') world.later(this.#delay(), process, () => fail('reset'));
      };
      const tell = (answer: HostAnswer): void => {
        world.later(this.#delay(), process, () => {
          if (exchange.state !== 'pending') return;
          exchange.state = answer.status === 200 || answer.status === 400 ? 'answered' : 'failed';
          resolve(responseOf(answer));
        });
      };
      world.later(this.#delay(), undefined, () => {
        if (host === undefined || course === 'not arrived') return lose();
        if (course === 'failed before') return tell(answered(503, {}));
        if (course === 'busy') return tell(answered(429, {}));
        const answer = host.answer(request);
        if (answer === undefined) return;
        if (request.url.pathname === '/token') world.note(`${host.origin} ${course}: ${answer.status} ${answer.body}`);
        if (course === 'answer lost') return lose();
        tell(course === 'failed after' ? answered(502, {}) : answer);
      });
    });
  }

  #course({ url }: Arrived): Course {
    const { random } = this.world;
    if (url.pathname === '/token') return random.chance(this.trouble.token) ? random.pick(troubles) : 'whole';
    return random.chance(this.trouble.other) ? 'failed before' : 'whole';
  }

  #delay(): number {
    const { random } = this.world;
    const kind = random.next();
    if (kind < 0.8) return random.whole(1, 60);
    return kind < 0.98 ? random.whole(1, 600) : random.whole(1, 4_500);
  }
}

function plain(headers: object): Readonly<Record<string, string>> {
  const list = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(list.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function responseOf({ status, headers, body }: HostAnswer): FetchResponse {
  const bytes = new TextEncoder().encode(body);
  return {
    status,
    headers: { get: (name) => headers[name] ?? null },
    body: {
      getReader() {
        let read = false;
        return {
          async read() {
            if (read) return { done: true };
            read = true;
            return { done: false, value: bytes };
          },
          cancel: async () => undefined,
        };
      },
    },
  };
}
