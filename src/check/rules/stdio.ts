import { settledWithin } from '../../jsonrpc/timeout.ts';
import type { ProbeRule, WatchRule } from '../rule.ts';
import { notJudged, unless } from '../verdict.ts';

/** Rules about standard input and output. */

const onlyMessages: WatchRule = {
  id: 'stdio-003',
  words: 'Nothing but messages of MCP goes to standard output',
  mend: 'write what is for people to standard error',
  watch({ malformed, exchange }) {
    if (exchange.status !== undefined) return 'not-seen';
    return malformed === undefined ? 'holds' : { breaks: `it wrote ${JSON.stringify(malformed.slice(0, 100))}` };
  },
};

/** Time after the end of its input that a server may take to end, in milliseconds. */
const promptMs = 5_000;

const endsWithInput: ProbeRule = {
  id: 'stdio-014',
  apart: true,
  once: true,
  words: 'The server ends when its input does',
  mend: 'end the process at the end of standard input',
  over: 'stdio',
  async probe(bench) {
    const speaker = await bench.fresh();
    try {
      const answer = await bench.works(speaker, bench.harmless);
      const { lines } = speaker;
      if (lines === undefined) return notJudged('there is no process');
      lines.endInput();
      return unless(
        !(await settledWithin(promptMs, lines.exited)),
        answer,
        `it still ran ${promptMs / 1_000} s after the end of its input`,
      );
    } finally {
      await bench.end(speaker);
    }
  },
};

/** Rules about processes. */
export const stdioRules: readonly (ProbeRule | WatchRule)[] = [onlyMessages, endsWithInput];
