/** Rules about clients whose streams break off. */

import { droppedTimes, droppedTool, isEventId, type DroppedCall } from '../dropped.ts';
import { inQuotes, unlessKept, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { idText, isAsking, paramsOf, type ClientSession } from '../client-session.ts';

/** Time by which a clock that is waited for may be early, in milliseconds. */
const earlyMs = 50;

/** The call that a client resumes by an event id. */
function comesBack({ http, clientSession }: HeardOfClient): DroppedCall | undefined {
  const id = http?.headers['last-event-id'];
  return id === undefined ? undefined : clientSession.dropped.find(({ events }) => events.includes(id));
}

const waits: ClientRule = {
  id: 'http-026',
  over: 'http',
  message: 'The client waits for retry before it reconnects',
  fix: 'keep the milliseconds of the field retry of a stream, and wait for them before the GET with Last-Event-ID',
  watch(heard) {
    const call = heard.http?.method === 'GET' ? comesBack(heard) : undefined;
    if (call === undefined) return 'not-seen';
    const { elapsed } = call;
    return unlessKept(
      elapsed >= droppedTimes.retry - earlyMs,
      `it came back after ${Math.floor(elapsed)} ms, and retry was ${droppedTimes.retry}`,
    );
  },
};

const polls: ClientRule = {
  id: 'http-027',
  over: 'http',
  message: 'A client that waits for a response reconnects after the server closed the stream',
  fix: 'send GET with Last-Event-ID when a stream ends before its answer, and an event of it had an id',
  watch: (heard) => (heard.http?.method === 'GET' && comesBack(heard) !== undefined ? 'holds' : 'not-seen'),
  atEnd({ dropped }) {
    const left = dropped.find(
      (call) => !call.isOver && call.resumed === 0 && call.later > droppedTimes.retry + droppedTimes.gone / 2,
    );
    return left === undefined
      ? 'not-seen'
      : {
          breaks: `it went on for ${Math.round(left.later)} ms, and never came back for request ${inQuotes(left.callId)}`,
        };
  },
};

const namesLast: ClientRule = {
  id: 'http-039',
  over: 'http',
  message: 'A client resumes a stream with GET and Last-Event-ID',
  fix: 'keep the id of each event that has one, and send the last with GET in Last-Event-ID',
  watch(heard) {
    const { http, clientSession } = heard;
    const id = http?.headers['last-event-id'];
    if (id === undefined || clientSession.dropped.length === 0) return 'not-seen';
    const call = comesBack(heard);
    // A POST is a fault where the text forbids it.
    if (http?.method !== 'GET')
      return call !== undefined && clientSession.revision?.resumption === 'event-ids'
        ? { breaks: 'it came back by POST' }
        : 'not-seen';
    // One of another session went with that.
    if (call === undefined) return isEventId(id) ? 'not-seen' : { breaks: `no event had the id ${inQuotes(id)}` };
    return unlessKept(id === call.events.at(-1), `it names ${inQuotes(id)}, and ${call.events.at(-1)} was the last`);
  },
};

const byGet: ClientRule = {
  id: 'http-041',
  over: 'http',
  message: 'A stream is resumed by GET, whatever it began with',
  fix: 'send GET with Last-Event-ID, and not the POST once more',
  watch(heard) {
    if (comesBack(heard) === undefined) return 'not-seen';
    return unlessKept(heard.http?.method === 'GET', `it came back by ${heard.http?.method}`);
  },
};

const anew: ClientRule = {
  id: 'http-063',
  over: 'http',
  message: 'A request whose stream broke is sent again with a new id',
  fix: 'count the id up for the request that is sent again, as for any other',
  watch({ message, clientSession }) {
    const broken = brokenBefore(message, clientSession);
    if (!isAsking(message) || broken.length === 0) return 'not-seen';
    const { id } = message;
    const isOld = broken.some((one) => idText(one) === idText(id));
    // If there are several clients, or one is started for each call, each may begin with this id.
    if (isOld && (!clientSession.isOne || id === clientSession.firstId)) return 'not-seen';
    return unlessKept(!isOld, `the id ${inQuotes(id)} came again`);
  },
};

/** Ids of requests of the same kind whose streams broke off, and that are lost. */
function brokenBefore(
  message: HeardOfClient['message'],
  { dropped, brokenStreams }: ClientSession,
): readonly unknown[] {
  if (message['method'] === 'subscriptions/listen') return brokenStreams;
  if (message['method'] !== 'tools/call' || paramsOf(message)['name'] !== droppedTool) return [];
  return dropped.filter(({ isResumable, isOver }) => !isResumable && !isOver).map(({ callId }) => callId);
}

/** Rules about streams that break off. */
export const resumptionRules: readonly ClientRule[] = [waits, polls, namesLast, byGet, anew];
