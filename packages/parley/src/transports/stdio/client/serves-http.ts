/** Programs that serve HTTP: they print where, and answer nothing on their standard output. */

import type { Message } from '../../../jsonrpc/message.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { ConnectionError, failedLoads, type Receiver } from '../../../jsonrpc/transport.ts';

/** URLs in a line: an address of this machine, or one with a port. Links to documentation have neither. */
const servedUrl =
  /\bhttps?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[[0-9a-f:.]+\]|[\w.-]+(?=:\d))(?::\d{1,5})?(?:\/[^\s"'`<>|]*)?/i;

/** Length of a line in a message. */
const maxLineLength = 200;

/** Time in which such a program may answer `initialize`, in milliseconds. It is up: it has printed its URL. */
const silenceMs = 5_000;

/** A program that may serve HTTP, until it sends a message. */
export class HttpProgram {
  readonly #description: string;
  readonly #silent: (error: ConnectionError) => void;
  #found: ServedOverHttp | undefined;
  #isHeard = false;
  #isAsked = false;
  #isLimited = false;

  /** @param silent Takes the error of a program that named its URL and does not answer `initialize`. */
  constructor(description: string, silent: (error: ConnectionError) => void) {
    this.#description = description;
    this.#silent = silent;
  }

  /** The receiver of its lines, with a watch on them. */
  before(receiver: Receiver): Receiver {
    return {
      ...receiver,
      message: (value, about) => {
        this.#isHeard = true;
        receiver.message(value, about);
      },
      problem: (error, about) => {
        const found = this.#isHeard || this.#found !== undefined ? undefined : servedOverHttp(about?.text ?? '');
        if (found === undefined) return receiver.problem(error, about);
        this.#found = found;
        receiver.problem(new ConnectionError('invalid-message', servedWords(found), { cause: error }), about);
        this.#limit();
      },
    };
  }

  /** Notes what it was sent. One that ignored another question still gets `initialize`. */
  sent(message: Message | readonly Message[]): void {
    if (this.#isHeard || this.#isAsked) return;
    this.#isAsked = [message].flat().some((one) => 'method' in one && one.method === 'initialize');
    this.#limit();
  }

  #limit(): void {
    const found = this.#found;
    if (found === undefined || !this.#isAsked || this.#isLimited) return;
    this.#isLimited = true;
    after(silenceMs, () => {
      if (this.#isHeard) return;
      const error = new ConnectionError('timeout', `${this.#description} answers nothing: ${servedWords(found)}`);
      // It would be as silent if it were started again.
      failedLoads.add(error);
      this.#silent(error);
    });
  }
}

function servedWords({ line, url }: ServedOverHttp): string {
  return `it printed ${JSON.stringify(line)}, so it seems to serve HTTP: connect to ${url} in place of starting it`;
}

/** A line that says where a program serves HTTP. */
export interface ServedOverHttp {
  /** The line, without queries, which may hold secrets. */
  readonly line: string;
  /** URL to connect to. */
  readonly url: string;
}

/** Reads a line of a program that is no message; undefined where it names no URL that the program may serve. */
export function servedOverHttp(text: string): ServedOverHttp | undefined {
  // A terminal colours such lines.
  // oxlint-disable-next-line no-control-regex -- the sequences of colours begin with one.
  const line = text.replaceAll(/\u001b\[[0-9;]*m/g, '').trim();
  const [found] = servedUrl.exec(line) ?? [];
  const written = found === undefined ? undefined : withoutEnd(found);
  if (written === undefined || !URL.canParse(written)) return undefined;
  const url = new URL(written);
  url.search = '';
  url.hash = '';
  // An address to listen at is none to connect to.
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  const shown = line.replaceAll(/([?#])[^\s"'`<>|]*/g, '$1…');
  return { line: shown.slice(0, maxLineLength), url: url.href };
}

/** A URL without the punctuation of the sentence that it ends. */
function withoutEnd(url: string): string {
  let end = url.length;
  while (end > 0 && '.,;:!?)]}'.includes(url[end - 1] ?? ' ')) end--;
  return url.slice(0, end);
}
