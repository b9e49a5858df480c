import type { Harness } from '../../harness/harness.ts';
import type { RawExchange } from '../../harness/exchange.ts';
import type { ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { looksGuessable } from '../common/guessable.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';

/** Rules about sessions over HTTP. */

/** Opens some sessions for a judgement, and ends them. */
async function withSessions(
  harness: Harness,
  count: number,
  judge: (speakers: readonly (ProbeClient & { readonly session: string })[]) => Promise<RuleVerdict> | RuleVerdict,
): Promise<RuleVerdict> {
  const speakers: ProbeClient[] = [];
  try {
    for (let left = count; left > 0; left--) speakers.push(await harness.fresh());
    if (!speakers.every(hasSession)) return notApplicable('it has no sessions');
    return await judge(speakers);
  } finally {
    for (const probeClient of speakers) await harness.end(probeClient);
  }
}

function hasSession(probeClient: ProbeClient): probeClient is ProbeClient & { session: string } {
  return probeClient.session !== undefined;
}

function openingOf({ opening }: ProbeClient): RawExchange {
  if (opening === undefined) throw new Error('a conversation that was not opened');
  return opening;
}

const visible: ProbeRule = {
  id: 'http-043',
  message: 'A session id has only visible ASCII characters',
  fix: 'make session ids of characters from 0x21 to 0x7E',
  over: 'http',
  probe: (harness) =>
    withSessions(harness, 1, ([probeClient]) =>
      probeClient === undefined
        ? notJudged('no session')
        : unless(
            !/^[\x21-\x7e]+$/.test(probeClient.session),
            openingOf(probeClient),
            `the id is ${JSON.stringify(probeClient.session)}`,
          ),
    ),
};

/** A rule that what names a session is made at random, by the page that says it. */
const unguessable = (id: string): ProbeRule => ({
  id,
  message: 'Session ids are unguessable and unique',
  fix: 'make session ids of 128 random bits, such as those of crypto.randomUUID()',
  over: 'http',
  probe: (harness) =>
    withSessions(harness, 5, (speakers) => {
      const ids = speakers.map(({ session }) => session);
      const [first] = speakers;
      if (first === undefined) return notJudged('no session');
      const exchange = openingOf(first);
      if (new Set(ids).size < ids.length) return breaks(exchange, `an id came twice: ${ids.join(', ')}`);
      const why = looksGuessable(ids);
      return why === undefined ? holds : breaks(exchange, why);
    }),
});

const required: ProbeRule = {
  id: 'http-046',
  message: 'A request without the required session id gets the status 400',
  fix: 'answer with HTTP 400',
  over: 'http',
  probe: (harness) =>
    withSessions(harness, 1, async ([probeClient]) => {
      if (probeClient === undefined) return notJudged('no session');
      await harness.ready(probeClient);
      const answer = await probeClient.request(harness.harmless, undefined, {
        headers: { 'Mcp-Session-Id': undefined },
      });
      // It may serve requests that belong to no session.
      if (answer.result !== undefined) return notApplicable('it serves requests without a session');
      return unless(answer.status !== 400, answer, `HTTP ${answer.status ?? 'nothing'}`);
    }),
};

const terminated: ProbeRule = {
  id: 'http-047',
  message: 'A request with the id of an ended session gets the status 404',
  fix: 'forget the session at DELETE, and answer with HTTP 404',
  over: 'http',
  probe: (harness) =>
    withSessions(harness, 1, async ([probeClient]) => {
      if (probeClient === undefined) return notJudged('no session');
      await harness.ready(probeClient);
      const ended = await probeClient.fetch('DELETE');
      if (ended?.status === undefined || ended.status >= 300)
        return notApplicable('it does not let clients end sessions');
      const answer = await probeClient.request(harness.harmless);
      return unless(
        answer.status !== 404,
        answer,
        answer.result === undefined ? `HTTP ${answer.status ?? 'nothing'}` : 'it was served',
      );
    }),
};

const unknown: ProbeRule = {
  id: 'harden-unknown-session',
  once: true,
  message: 'A request with an unknown session id is not served',
  fix: 'answer with HTTP 404',
  over: 'http',
  probe: (harness) =>
    withSessions(harness, 1, async ([probeClient]) => {
      if (probeClient === undefined) return notJudged('no session');
      await harness.ready(probeClient);
      const answer = await probeClient.request(harness.harmless, undefined, {
        headers: { 'Mcp-Session-Id': '00000000-0000-4000-8000-000000000000' },
      });
      return unless(answer.result !== undefined, answer, 'it was served');
    }),
};

const versionHeader: ProbeRule = {
  id: 'http-053',
  message: 'An invalid MCP-Protocol-Version gets the status 400',
  fix: 'answer with HTTP 400',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const answer = await probeClient.request(harness.harmless, undefined, {
      headers: { 'MCP-Protocol-Version': 'no-revision' },
    });
    return unless(
      answer.status !== 400,
      answer,
      answer.result === undefined ? `HTTP ${answer.status ?? 'nothing'}` : 'it was served',
    );
  },
};

const assumed: ProbeRule = {
  id: 'http-052',
  message: 'A request without the header MCP-Protocol-Version is served',
  fix: 'take the revision of the session, or 2025-03-26',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const answer = await probeClient.request(harness.harmless, undefined, {
      headers: { 'MCP-Protocol-Version': undefined },
    });
    return answer.result === undefined ? breaks(answer, 'it got no result') : holds;
  },
};

/** Rules about sessions. */
export const httpSessionRules: readonly ProbeRule[] = [
  visible,
  unguessable('http-042'),
  unguessable('security-016'),
  required,
  terminated,
  unknown,
  versionHeader,
  assumed,
];
