import type { RecordingEntry } from './entry.ts';

/** Most conversations that are known to answer elsewhere. */
const maxConnections = 1_000;

/** OverExchanges of HTTP: what the end of one says of the request that it was for. */
export class OverExchanges {
  /** Conversations whose answers come on a stream of their own: that of the oldest revision, which names an endpoint. */
  readonly #elsewhere = new Set<number>();

  /** Hears everything that came. */
  heard({ event, connection }: RecordingEntry): void {
    if (event?.type !== 'endpoint') return;
    this.#elsewhere.add(connection);
    const [oldest] = this.#elsewhere;
    if (this.#elsewhere.size > maxConnections && oldest !== undefined) this.#elsewhere.delete(oldest);
  }

  /** Tells whether the end of an exchange leaves its request without an answer. */
  leavesUnanswered(request: RecordingEntry, { connection, http }: RecordingEntry): boolean {
    const { lane, id, method, pair } = request;
    if (lane !== 'message' || id === undefined || id === null || method === undefined || pair !== undefined)
      return false;
    const isTaken = http?.status !== undefined && http.status >= 200 && http.status < 300;
    return !(isTaken && this.#elsewhere.has(connection));
  }
}
