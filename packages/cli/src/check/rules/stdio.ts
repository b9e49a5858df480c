import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { ProbeRule, WatchRule } from '../rule.ts';
import { notJudged, unless } from '../harness/verdict.ts';

/** Rules about standard input and output. */

/** Lines of messages that go over several, by what came. */
const brokenUp = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Lines that are no JSON by themselves, and are a message together. */
function linesOfOne(malformed: readonly string[]): ReadonlySet<string> {
  const known = brokenUp.get(malformed);
  if (known !== undefined) return known;
  const found = new Set<string>();
  let begin = -1;
  for (const [at, line] of malformed.entries()) {
    // What is written with indents begins and ends with a bracket of its own.
    if (/^[{[]\s*$/.test(line)) begin = at;
    if (begin < 0 || !/^[}\]]\s*$/.test(line)) continue;
    const lines = malformed.slice(begin, at + 1);
    if (isMessage(lines.join('\n'))) for (const one of lines) found.add(one);
    begin = -1;
  }
  brokenUp.set(malformed, found);
  return found;
}

function isMessage(text: string): boolean {
  try {
    return [JSON.parse(text)].flat().some((one: unknown) => isObject(one) && one['jsonrpc'] !== undefined);
  } catch {
    return false;
  }
}

/** Beginning of what the lines are together, of which there may be thousands: each asks for it. */
function beginning(lines: readonly string[]): string {
  const first = lines.slice(0, shown).map((line) => line.slice(0, shown));
  return first.join('\n').slice(0, shown);
}

/** Length to which lines are shown, in characters. */
const shown = 100;

const oneLine: WatchRule = {
  id: 'stdio-002',
  message: 'A message is one line',
  fix: 'write JSON without indents, and end it with a newline',
  watch({ malformed, exchange }) {
    if (exchange.status !== undefined) return 'not-seen';
    if (malformed === undefined) return 'holds';
    return linesOfOne(exchange.malformed).has(malformed)
      ? { breaks: `one goes over several: ${JSON.stringify(beginning(exchange.malformed))}` }
      : 'not-seen';
  },
};

const onlyMessages: WatchRule = {
  id: 'stdio-003',
  message: 'Standard output has only MCP messages',
  fix: 'write what is for people to standard error',
  watch({ malformed, exchange }) {
    if (exchange.status !== undefined) return 'not-seen';
    // A message that goes over several lines is one all the same.
    if (malformed !== undefined && linesOfOne(exchange.malformed).has(malformed)) return 'not-seen';
    return malformed === undefined ? 'holds' : { breaks: `it wrote ${JSON.stringify(malformed.slice(0, shown))}` };
  },
};

/** Time after the end of its input that a server may take to end, in milliseconds. */
const promptMs = 5_000;

const endsWithInput: ProbeRule = {
  id: 'stdio-014',
  apart: true,
  once: true,
  message: 'The server exits when its standard input closes',
  fix: 'end the process at the end of standard input',
  over: 'stdio',
  async probe(harness) {
    const probeClient = await harness.fresh();
    try {
      const answer = await harness.works(probeClient, harness.harmless);
      const { lines } = probeClient;
      if (lines === undefined) return notJudged('there is no process');
      lines.endInput();
      return unless(
        !(await settledWithin(promptMs, lines.exited)),
        answer,
        `it still ran ${promptMs / 1_000} s after the end of its input`,
      );
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Rules about processes. */
export const stdioRules: readonly (ProbeRule | WatchRule)[] = [oneLine, onlyMessages, endsWithInput];
