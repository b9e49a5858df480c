/** Rules about clients of a server that speaks no revision that there is, and of a tool whose header changes. */

import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { inQuotes, sameAs, unlessKept, type ClientRule } from '../client-rule.ts';
import { isAsking } from '../client-session.ts';

/** Time in which a client would have gone on, in milliseconds, and in which a further attempt belongs to the one before. */
const times = { gone: 1_000, attempt: 5_000 } as const;

const goes: ClientRule = {
  id: 'lifecycle-016',
  over: 'http',
  isForeign: true,
  message: 'A client that gets an unsupported revision disconnects',
  fix: 'look at protocolVersion of the answer to initialize, and close the connection where it is none of yours',
  watch({ message, clientSession }) {
    if (clientSession.stage !== 'answered') return 'not-seen';
    const { method } = message;
    const isUse = isAsking(message) && method !== 'initialize' && method !== 'ping';
    return isUse || method === 'notifications/initialized'
      ? { breaks: `initialize was answered with a revision of 1999, and it sent ${inQuotes(method)}` }
      : 'not-seen';
  },
  atEnd: ({ stage }, { isGone }) => (stage === 'answered' && isGone ? 'holds' : 'not-seen'),
};

const looksInside: ClientRule = {
  id: 'http-114',
  over: 'http',
  isForeign: true,
  message: 'The client does not fall back to initialize after an error of the newest revision',
  fix: 'read the body of a 400: -32022, -32021 and -32020 are of a server that knows no initialize',
  watch({ message, clientSession: { refusedAt } }) {
    if (refusedAt === undefined || message['method'] !== 'initialize') return 'not-seen';
    return unlessKept(
      monotonicNow() - refusedAt > times.attempt,
      'it was refused with 400 and -32022, and sent initialize',
    );
  },
  atEnd: ({ refusedAt }, { isGone }) => (refusedAt !== undefined && isGone ? 'holds' : 'not-seen'),
};

const listsAgain: ClientRule = {
  id: 'http-103',
  over: 'http',
  message: 'After an error about Mcp-Param headers, the client lists the tools and retries',
  fix: 'on -32020 of a call list the tools once more, and send the call by the schema that came',
  atEnd({ moving: { isRefused, wasListed, isMoved, later } }) {
    if (isMoved) return 'holds';
    return isRefused && !wasListed && later > times.gone
      ? { breaks: 'a call of moving was refused with -32020, and the tools were not listed again' }
      : 'not-seen';
  },
};

const newestSchema: ClientRule = {
  id: 'http-104',
  over: 'http',
  message: 'The headers of a call follow the schema of the latest list',
  fix: 'keep the inputSchema of the last tools/list, and take x-mcp-header from that',
  atEnd({ moving: { stale, isMoved, begun }, isOne }) {
    if (isMoved) return 'holds';
    if (begun > 1 || !isOne) return 'not-seen';
    // Once the list may have come while the call was under way.
    return stale > 1 ? { breaks: `moving was called ${stale} times by headers of an older list` } : 'not-seen';
  },
};

/** Rules about servers that are not as expected. */
export const foreignRules: readonly ClientRule[] = [
  goes,
  { ...sameAs(goes, 'lifecycle-015', 'A client that gets an unsupported revision disconnects') },
  looksInside,
  listsAgain,
  newestSchema,
];
