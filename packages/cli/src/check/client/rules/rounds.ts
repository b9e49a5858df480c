/**
 * Rules about requests that are repeated with the requested input, and about things that a client must not do by
 * itself.
 */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { check } from '../../../../../parley/src/protocol/compile/check.ts';
import { inQuotes, sameAs, unlessKept, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { idText, paramsOf, saidText, type OpenRound } from '../client-session.ts';

/** The round that a request answers: of the same tool, with a key that was asked. */
export function roundOf({
  message,
  clientSession,
}: Pick<HeardOfClient, 'message' | 'clientSession'>): OpenRound | undefined {
  const { name, inputResponses } = paramsOf(message);
  if (message['method'] !== 'tools/call' || !isObject(inputResponses)) return undefined;
  const keys = Object.keys(inputResponses);
  return clientSession.rounds.find(({ tool, asked }) => tool === name && keys.some((key) => asked.has(key)));
}

const apart: ClientRule = {
  id: 'mrtr-022',
  message: 'Answers and state of one request are never sent with a concurrent request',
  fix: 'keep inputResponses and requestState with the request that they belong to',
  watch(heard) {
    const round = roundOf(heard);
    const others = heard.clientSession.rounds.filter((one) => one !== round);
    if (round === undefined || others.length === 0) return 'not-seen';
    const { inputResponses, requestState } = paramsOf(heard.message);
    const keys = isObject(inputResponses) ? Object.keys(inputResponses) : [];
    const foreign = others.find(
      ({ asked, state }) =>
        keys.some((key) => asked.has(key)) || (state !== undefined && state !== round.state && state === requestState),
    );
    return unlessKept(foreign === undefined, `it has what request ${inQuotes(foreign?.id)} was answered with`);
  },
};

/** Tells whether a key or a state belongs to another request, which is a separate fault. */
function isOfAnother(value: unknown, round: OpenRound, { clientSession }: HeardOfClient): boolean {
  return clientSession.rounds.some(
    (other) =>
      other !== round && ((other.state !== undefined && other.state === value) || other.asked.has(saidText(value))),
  );
}

const keyed: ClientRule = {
  id: 'mrtr-017',
  message: 'inputResponses have the keys of inputRequests and results of the right shape',
  fix: 'copy the keys of inputRequests, and answer each as the request of its method would be answered',
  watch(heard) {
    const round = roundOf(heard);
    const { inputResponses } = paramsOf(heard.message);
    if (round === undefined || !isObject(inputResponses)) return 'not-seen';
    for (const [key, answer] of Object.entries(inputResponses)) {
      if (isOfAnother(key, round, heard)) continue;
      const put = round.asked.get(key);
      const shape = put === undefined ? undefined : methodOf(put.method)?.result;
      if (shape === undefined) return { breaks: `nothing was asked under ${inQuotes(key)}` };
      const [problem] = check(heard.revision, shape, answer);
      if (problem !== undefined) return { breaks: `the answer to ${put?.method}: ${problem.path} ${problem.message}` };
    }
    return 'holds';
  },
};

const echoed: ClientRule = {
  id: 'mrtr-018',
  message: 'The client returns requestState unchanged',
  fix: 'keep the text, and send it back without looking into it',
  watch(heard) {
    const round = roundOf(heard);
    if (round?.state === undefined) return 'not-seen';
    const { requestState } = paramsOf(heard.message);
    if (isOfAnother(requestState, round, heard)) return 'not-seen';
    return unlessKept(requestState === round.state, `${inQuotes(round.state)} came back as ${inQuotes(requestState)}`);
  },
};

const noneMadeUp: ClientRule = {
  id: 'mrtr-020',
  message: 'Without a requestState in the result, the client sends none',
  fix: 'send requestState of the last answer alone, and leave it out where that has none',
  watch(heard) {
    const round = roundOf(heard);
    if (round === undefined || round.state !== undefined) return 'not-seen';
    const { requestState } = paramsOf(heard.message);
    return unlessKept(requestState === undefined, `it is ${inQuotes(requestState)}`);
  },
};

const newId: ClientRule = {
  id: 'mrtr-021',
  message: 'A request that is sent again has a new id',
  fix: 'count the id up for the request that is sent again, as for any other',
  watch(heard) {
    const round = roundOf(heard);
    if (round === undefined) return 'not-seen';
    return unlessKept(idText(heard.message['id']) !== idText(round.id), `the id ${inQuotes(round.id)} came again`);
  },
};

const noFetch: ClientRule = {
  id: 'schema-007',
  message: 'A $ref to the network is not fetched',
  fix: 'resolve references within the schema alone, and refuse a schema that has others',
  atEnd(_, { fetches, listed }) {
    if (fetches > 0) return { breaks: `the address in the inputSchema of remote was fetched ${fetches} times` };
    return listed.has('remote') ? 'holds' : 'not-seen';
  },
};

const noIcon: ClientRule = {
  id: 'icons-004',
  message: 'Icons are fetched only over https',
  fix: 'take icons of https: and data: alone, also where a redirect leads',
  atEnd(_, { icons, listed }) {
    if (icons > 0) return { breaks: `the icon of last, whose address is of http, was fetched ${icons} times` };
    return listed.has('last') ? 'holds' : 'not-seen';
  },
};

/** Rules about rounds, and about addresses. */
export const roundRules: readonly ClientRule[] = [
  apart,
  keyed,
  echoed,
  noneMadeUp,
  newId,
  sameAs(newId, 'tools-007', 'A call that is sent again has a new id'),
  noFetch,
  noIcon,
];
