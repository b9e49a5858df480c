import type { Recorder, Seen } from '../../recorder/entry.ts';
import type { Log } from '../../recorder/log.ts';
import type { SilenceView } from '../view.ts';

/** Hears that a server answers no more; `undefined` where it does again. */
export type HearSilence = (silence: SilenceView | undefined) => void;

/** Meaning of a head, before its body is known. */
type Verdict = 'answers' | 'unknown';

/** Follows whether a server answers over HTTP, by what crosses: nothing is asked for it. */
export class HttpAnswering {
  readonly #log: Log;
  readonly #hear: HearSilence;
  /** Heads that say nothing yet: their bodies may be messages. */
  readonly #open = new Set<number>();
  #isSilent = false;

  constructor(log: Log, hear: HearSilence) {
    this.#log = log;
    this.#hear = hear;
  }

  /** Recorder of a connection that is followed. */
  get recorder(): Recorder {
    const log = this.#log;
    return {
      connect: () => log.connect(),
      note: (seen) => {
        const n = log.note(seen);
        this.#noted(seen, n);
        return n;
      },
      grow: (sequence, piece) => log.grow(sequence, piece),
      end: (sequence, more) => {
        log.end(sequence, more);
        this.#ended(sequence, more?.ends);
      },
    };
  }

  #noted({ from, http, event, ends, problem, exchange }: Seen, n: number): void {
    if (from !== 'server' || !this.#isAsked(exchange)) return;
    const verdict = verdictOf(http?.status);
    if (verdict === 'answers') this.#answers();
    else if (verdict === 'unknown') this.#open.add(n);
    // Who gives an exchange up says nothing of the server, and a stream that ended may be taken up again.
    else if (event === undefined && ends === 'over') this.#silent(problem ?? 'no answer came', n);
  }

  /** Tells whether an exchange is that of a request: a gateway may refuse a stream, or a notification, of a server that answers. */
  #isAsked(exchange: number | undefined): boolean {
    const entry = exchange === undefined ? undefined : this.#log.entry(exchange);
    return entry?.http?.method === 'POST' && entry.method !== undefined && entry.id !== undefined;
  }

  #ended(sequence: number, ends: Seen['ends']): void {
    if (!this.#open.delete(sequence) || ends === 'given-up') return;
    const entry = this.#log.entry(sequence);
    // An answer has an id, or says that it knows none.
    if (entry?.lane === 'message' && entry.id !== undefined) return this.#answers();
    this.#silent(`status ${String(entry?.http?.status)}, without a message of the protocol`, sequence);
  }

  #answers(): void {
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#hear(undefined);
  }

  #silent(why: string, row: number): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    const { time } = this.#log.entry(row) ?? { time: 0 };
    this.#hear({ why, row, t: time });
  }
}

/** Whatever a server refuses, it is there; a failure may be that of something in front of it. */
function verdictOf(status: number | undefined): Verdict | undefined {
  if (status === undefined) return undefined;
  return status < 500 ? 'answers' : 'unknown';
}
