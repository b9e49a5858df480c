import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { excerptOf } from './harness/harness.ts';
import type { RawExchange } from './harness/exchange.ts';
import type { CheckedExchange, CheckReport } from './report.ts';

/** Limits of the recording in a report: messages, and characters of sent text. */
const most = { exchanges: 500, characters: 256 * 1024 };

/** Messages that were sent in a run, as many as a report has room for. */
export class Recorded {
  readonly #exchanges: CheckedExchange[] = [];
  #characters = 0;
  #left = 0;

  add(exchange: RawExchange, { date }: Revision): void {
    const { sent } = exchange;
    if (this.#exchanges.length >= most.exchanges || this.#characters + sent.length > most.characters) {
      this.#left++;
      return;
    }
    this.#characters += sent.length;
    this.#exchanges.push({ revision: date, sent, came: excerptOf(exchange) });
  }

  get report(): NonNullable<CheckReport['wire']> {
    return { exchanges: this.#exchanges, left: this.#left };
  }
}
