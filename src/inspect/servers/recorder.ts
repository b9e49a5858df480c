import { createLog, type Log } from '../../wire/log.ts';
import { tapHttp } from '../../wire/tap-http.ts';
import { tapLines } from '../../wire/tap-lines.ts';
import type { RecordingEntry } from '../../wire/entry.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { requirementsBroken } from '../wire/judge.ts';
import { rowOfEntry } from '../wire/row.ts';
import type { ServerPlan, Shared, WaySettings } from './shared.ts';

/** Most heads of responses that are remembered for the events that follow them. */
const mostHeads = 1_000;

/** Time that a process may take to end, in milliseconds. */
const patience = { closeMs: 1_000, killAfterMs: 500 };

/** Recording of one server: everything that crosses, judged, and told to the pages. */
export class ServerRecorder {
  readonly log: Log;
  /** Capabilities that our client declares, which rules ask for. */
  capabilities: Readonly<Record<string, unknown>> = {};
  readonly #heads = new Map<number, RecordingEntry>();
  readonly #judged = new Set<number>();
  readonly #shared: Shared;
  readonly #server: string;
  #left = 0;

  constructor(server: string, { secrets }: Pick<ServerPlan, 'secrets'>, shared: Shared) {
    this.#server = server;
    this.#shared = shared;
    this.log = createLog({ server, next: () => shared.next(), now: () => shared.now() });
    this.log.masks.hide(secrets);
    this.log.subscribe((entry) => this.#heard(entry));
  }

  /** Opens a way that is recorded. */
  async reach(plan: ServerPlan, asks: boolean): Promise<Transport> {
    const { log } = this;
    const lines = tapLines(log);
    const fetch = tapHttp(this.#shared.fetch, { recorder: log, connection: log.connect() });
    const settings: WaySettings = { fetch, asks, onStderr: (text) => lines.onStderr(text), ...patience };
    const way = await plan.reach(settings);
    return way.carriesHeaders === true ? way : lines.listen(way);
  }

  #heard(entry: RecordingEntry): void {
    if (entry.exchange !== undefined && entry.http?.status !== undefined) this.#remember(entry.exchange, entry);
    const { feed } = this.#shared;
    if (
      !this.#judged.has(entry.sequence) &&
      entry.lane === 'message' &&
      entry.from === 'server' &&
      entry.text !== undefined
    ) {
      this.#judged.add(entry.sequence);
      const [oldest] = this.#judged;
      if (this.#judged.size > mostHeads && oldest !== undefined) this.#judged.delete(oldest);
      const broken = requirementsBroken(entry, {
        entry: (sequence) => this.log.entry(sequence),
        headOf: (exchange) => this.#heads.get(exchange),
        capabilities: this.capabilities,
      });
      // It is told again by this, with what it breaks.
      if (broken.length > 0) return this.log.judge(entry.sequence, broken);
    }
    feed.row(rowOfEntry(this.log.masks.toShow(entry)));
    const { entries, last } = this.log.left;
    if (entries === this.#left) return;
    this.#left = entries;
    feed.keep(`left ${this.#server}`, { kind: 'left', server: this.#server, entries, last });
  }

  #remember(exchange: number, entry: RecordingEntry): void {
    this.#heads.set(exchange, entry);
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > mostHeads && oldest !== undefined) this.#heads.delete(oldest);
  }
}
