/** Many clients in sessions of a service behind a proxy, and what they saw. */

import { connect, type Client } from '../../../packages/parley/src/client.ts';
import { startService, type Service } from '../processes/service.ts';

/** Clients of 2025-11-25, each with its session and its stream for what is told unasked. */
export class Crowd {
  readonly clients: Client[] = [];
  /** Answers by method and status, but for those that are well. */
  readonly refusals: Map<string, number> = new Map();
  /** True when each ends what it does. */
  isOver = false;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Opens clients, ten at once. */
  async open(count: number): Promise<void> {
    const fetching: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (response.status > 299) {
        const key = `${init?.method ?? 'GET'} ${response.status}`;
        this.refusals.set(key, (this.refusals.get(key) ?? 0) + 1);
      }
      return response;
    };
    while (this.clients.length < count) {
      const some = Array.from({ length: Math.min(10, count - this.clients.length) }, (_, at) =>
        connect(this.#url, {
          revisions: ['2025-11-25'],
          fetch: fetching,
          onElicit: () => ({ action: 'accept', content: { text: `own ${this.clients.length + at}` } }),
        }),
      );
      this.clients.push(...(await Promise.all(some)));
    }
  }

  /** Number of answers that said that a session is not there. */
  get lost(): number {
    return [...this.refusals].reduce((sum, [key, count]) => sum + (key.endsWith(' 404') ? count : 0), 0);
  }

  get refused(): string {
    return [...this.refusals].map(([key, count]) => `${count} × ${key}`).join(', ') || 'nothing';
  }

  async close(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients.map((client) => client.close().catch(() => undefined)));
  }
}

/** Measures with clients of three processes; tells what was wrong, lost sessions among it. */
export async function withCrowd(
  measure: (crowd: Crowd, service: Service, wrong: string[]) => Promise<void>,
): Promise<readonly string[]> {
  const service = await startService('one');
  const crowd = new Crowd(service.url);
  const wrong: string[] = [];
  try {
    await measure(crowd, service, wrong);
    if (crowd.lost > 0) wrong.push(`${crowd.lost} answers were 404`);
  } finally {
    await crowd.close();
    await service.stop();
  }
  return wrong;
}
