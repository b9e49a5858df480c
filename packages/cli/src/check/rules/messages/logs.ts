import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Harness } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import type { ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable } from '../../harness/verdict.ts';

/** Rules about what a server logs for whoever wants to hear all of it. */

const lists = ['tools', 'prompts', 'resources'];

/** Asks for all log messages, and then for what a server does all day; tools are called where they may be. */
async function askAll(harness: Harness, probeClient: ProbeClient): Promise<void> {
  const isEach = harness.revision.clientDescribed === 'each-request';
  const meta = isEach ? { [metaKey.logLevel]: 'debug' } : undefined;
  if (!isEach) await harness.works(probeClient, 'logging/setLevel', { level: 'debug' });
  for (const list of lists)
    if (probeClient.capabilities[list] !== undefined)
      await probeClient.request(`${list}/list`, meta === undefined ? undefined : { _meta: meta });
  for (const tool of await harness.allowed())
    if ('args' in tool) await sendCall(probeClient, tool, meta === undefined ? {} : { meta });
}

function logsIn({ messages }: RawExchange): readonly unknown[] {
  return messages.flat().filter((one) => isObject(one) && one['method'] === 'notifications/message');
}

const noToken: ProbeRule = {
  id: 'logging-011',
  needs: 'logging',
  apart: true,
  message: 'No log message contains the access token of the request',
  fix: 'leave the headers of requests out of log messages',
  over: 'http',
  async probe(harness) {
    if ((await harness.http.token()) === undefined) return notApplicable('it gets no token that it could log');
    const probeClient = await harness.fresh();
    const logged: RawExchange[] = [];
    probeClient.hear((exchange) => void (logsIn(exchange).length > 0 && logged.push(exchange)));
    try {
      await askAll(harness, probeClient);
    } finally {
      probeClient.hear(undefined);
      await harness.end(probeClient);
    }
    const told = logged.find((one) => logsIn(one).some((log) => one.hasToken?.(JSON.stringify(log)) === true));
    if (told !== undefined) return breaks(told, 'one has it');
    return logged.some(({ hasToken }) => hasToken !== undefined) ? holds : notApplicable('it logs nothing');
  },
};

/** Rules about log messages that are asked for. */
export const logRules: readonly ProbeRule[] = [noToken];
