import type { ProbeRule } from '../../rule.ts';
import { holds, notJudged, breaks } from '../../harness/verdict.ts';
import { livesOn, nastyId, type NastyText } from './nasty.ts';
import { openSlowly } from './slow-connections.ts';

/** Rules whose probes weigh on a machine, and that are run where that is wished alone. */

const size = 100 * 1000 ** 2;
const connections = 500;
/** Milliseconds that a busy machine may need for either. */
const maxMs = 60_000;

/** As a string, one text would take twice the bytes. */
const huge: NastyText = (method, params) => {
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${nastyId},"method":"${method}","params":{${params}"a":"`);
  const tail = Buffer.from('"}}');
  return Buffer.concat([head, Buffer.alloc(size - head.length - tail.length, 'a'), tail]);
};

const hugeMessage: ProbeRule = {
  id: 'harden-huge-message',
  heavy: true,
  once: true,
  mayEnd: true,
  message: 'The server keeps serving after a message of 100 MB',
  fix: 'limit the size of messages, and stop to read what is larger',
  probe: (harness) =>
    livesOn(harness, {
      what: 'a message of 100 MB',
      text: huge,
      waitTimeoutMs: Math.max(harness.waitTimeoutMs, maxMs),
    }),
};

const slowConnections: ProbeRule = {
  id: 'harden-slow-connections',
  heavy: true,
  once: true,
  mayEnd: true,
  message: 'The server keeps serving while 500 connections send their requests a byte at a time',
  fix: 'limit the time in which a request must arrive, and serve other clients meanwhile',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const slow = await openSlowly(harness.http.url, connections, Math.max(harness.waitTimeoutMs, maxMs));
    try {
      if (slow.opened === 0) return notJudged(`none of ${connections} connections was opened`);
      if (slow.waiting > 0) return notJudged(`${slow.waiting} of ${connections} connections were not opened in time`);
      await probeClient.rest(harness.quietMs);
      for (let time = 0; time < 3; time++) {
        slow.drip();
        const answer = await probeClient.request(harness.harmless);
        if (answer.result === undefined)
          return breaks(answer, `beside ${slow.opened} slow connections it did not serve`);
      }
      return holds;
    } finally {
      slow.close();
    }
  },
};

export const heavyRules: readonly ProbeRule[] = [hugeMessage, slowConnections];
