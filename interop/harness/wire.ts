import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/** One line on a wire: a message, or the head of an HTTP message. */
export interface WireLine {
  /** When it passed, in milliseconds since 1970. */
  readonly at: number;
  /** Which way: to the server, from it, or a note of the tap itself. */
  readonly arrow: '→' | '←' | '!';
  readonly text: string;
}

/** What passed on one wire. */
export interface Wire {
  lines(): readonly WireLine[];
}

/** The lines that the tap of a stdio server wrote into a file. */
export function wireOfFile(path: string): Wire {
  return {
    lines: () =>
      existsSync(path)
        ? readFileSync(path, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
            // The tap writes nothing else.
            .map((line) => JSON.parse(line) as WireLine)
        : [],
  };
}

/** As it can be printed: what differs from run to run is named instead, and what is long is cut. */
export function printed({ arrow, text }: WireLine): string {
  const plain = text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32,}/gi, 'UUID')
    .replaceAll(/"requestState":"([^"]{40,})"/g, (_whole, state: string) => `"requestState":"${digest(state)}…"`);
  return `${arrow} ${plain.length > 600 ? `${plain.slice(0, 600)}…` : plain}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}
