/** Faults that are planted into the code while it is loaded, to see whether the simulation finds them. */

/** One fault: a place of a file, and what stands there in its stead. */
export interface PlantedFault {
  readonly name: string;
  /** Path of the file below `packages/parley/src/`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** How many processes share a store where it shows; one. */
  readonly nodes?: number;
  /** True where it shows before a server that is behind a bridge. */
  readonly bridge?: boolean;
}

const fault = (name: string, file: string, from: string, to: string): PlantedFault => ({ name, file, from, to });

const session = 'transports/http/server/session/session.ts';
const stream = 'transports/http/server/session/stream.ts';
const shared = (name: string): string => `transports/http/server/session/shared/${name}.ts`;
const subscriptions = 'client/subscriptions/subscriptions.ts';

/** All of them. */
export const plantedFaults: readonly PlantedFault[] = [
  fault(
    'a resumed stream lacks its first event',
    stream,
    'connection.replay(written(this.#name, missed));',
    'connection.replay(written(this.#name, missed.slice(1)));',
  ),
  fault(
    'a resumed stream begins with what was heard',
    stream,
    'number: Number(number) }',
    'number: Math.max(0, Number(number) - 1) }',
  ),
  fault('a resumed stream ends before its end', stream, 'if (this.#complete) connection.end();', 'connection.end();'),
  fault(
    'a resumed stream does not go on',
    stream,
    '        this.#connection = connection;\n        const missed',
    '        const missed',
  ),
  fault('events of a stream are numbered from two', stream, 'number: ++this.#last', 'number: (this.#last += 2)'),
  fault('what waits for a stream is dropped', session, 'this.#undelivered.push(json);', ''),
  fault('what waited for a stream is not sent', session, 'this.#standalone?.send(json);\n  }', 'void json;\n  }'),
  fault(
    'progress goes to the stream of another call',
    'transports/http/server/session/running-answers.ts',
    'return this.#answers.get(id);',
    'return [...this.#answers.values()].at(-1);',
  ),
  fault(
    'a request is forgotten before its answer',
    session,
    'const id = this.#answers.expect(judged.message.id, answer);',
    'const id = undefined;',
  ),
  fault(
    'the client does not remember where a stream was',
    'transports/http/client/answer.ts',
    'if (event.id !== undefined) position.lastEventId =',
    'if (event.id !== undefined) position.lastEventId ??=',
  ),
  fault('the client says nothing of a gap', 'transports/http/client/resume.ts', 'exchange.receiver.gap?.();', ''),
  fault(
    'the client gives up listening when it is refused',
    'transports/http/client/resume.ts',
    'else if (isUnreadable(next)) position = nowhere;',
    'else if (isUnreadable(next)) return;',
  ),
  fault(
    'pauses do not end with what they are for',
    'transports/http/client/resume.ts',
    "else signal.addEventListener('abort', aborted, { once: true });",
    '',
  ),
  fault(
    'subscriptions in sessions do not say that they were opened again',
    subscriptions,
    "subscription.heard({ type: 'reopened' });",
    '',
  ),
  fault(
    'subscriptions are not opened again with a new connection',
    subscriptions,
    'for (const subscription of this.#listening) subscription.wake();',
    '',
  ),
  fault(
    'listening does not say that it was opened again',
    'client/subscriptions/listen.ts',
    "if (again) this.#options.heard({ type: 'reopened' });",
    '',
  ),
  fault(
    'a lost connection of a subscription is not opened again',
    subscriptions,
    'lost: () => void this.#revive(),',
    '',
  ),
  fault(
    'pauses grow to ten minutes',
    'client/connection/backoff.ts',
    'const maxMs = 30_000;',
    'const maxMs = 600_000;',
  ),
  fault(
    'ids of requests are used again',
    'connection/call-options.ts',
    'const id = this.#lastId + 1;',
    'const id = (this.#lastId % 2) + 1;',
  ),
  fault(
    'clocks run after the answer',
    'connection/pending.ts',
    '    this.#settled = true;\n    this.#idle?.();\n    this.#total?.();',
    '    this.#settled = true;\n    this.#idle?.();',
  ),
  fault(
    'progress does not start the wait anew',
    'connection/call-options.ts',
    'this.#pending.get(id)?.pending?.touch();',
    '',
  ),
  fault(
    'answers of rounds are mixed up',
    'server/runtime/input/mrtr-requester.ts',
    'const known = this.#answers.get(name);',
    'const known = [...this.#answers.values()][0] && { ...[...this.#answers.values()][0]!, digest };',
  ),
  fault(
    'effects are not kept between rounds',
    'server/runtime/input/mrtr-requester.ts',
    '      once,\n      logs',
    '      once: {},\n      logs',
  ),
  fault(
    'progress begins anew in each round',
    'server/runtime/input/mrtr-requester.ts',
    '...(lastProgress === undefined ? {} : { progress: lastProgress }),',
    '',
  ),
  fault(
    'losing the client does not cancel an exchange',
    'transports/http/server/exchange.ts',
    '    this.#answer.closed();\n    this.stop();\n  }\n\n  /**',
    '    this.#answer.closed();\n  }\n\n  /**',
  ),
  fault(
    'cancellations are not heard',
    'server/runtime/conversation/conversation.ts',
    'this.#running.cancelled(message.params);',
    'void message.params;',
  ),
  fault(
    'streams keep their timer',
    'transports/http/server/exchanges/stream.ts',
    '    this.#cancelTimer?.();\n    this.#cancelTimer = undefined;',
    '',
  ),
  fault(
    'changes of lists are told to the first session alone',
    'server/definition/subscriptions.ts',
    '      session.notify(method, {});\n      yield;',
    '      session.notify(method, {});\n      break;',
  ),
  fault(
    'changes of lists are told to no listener',
    'server/definition/subscriptions.ts',
    'if (filter[flag] !== true) continue;',
    'if (filter[flag] === true) continue;',
  ),
  fault(
    'a session is not forgotten by its client',
    'client/connection/retry.ts',
    "return error.reason === 'session-lost' ||",
    "return error.reason === 'lost' ||",
  ),
  fault(
    'a record is written over whatever version it has',
    'storage/memory/records.ts',
    'if (version !== undefined && version !== (before?.version ?? 0)) return undefined;',
    '',
  ),
  fault(
    'who wrote a stream before goes on writing it',
    'storage/memory/streams.ts',
    'if (!isSame(stream.writer, writer) || stream.complete) throw fenced();',
    '',
  ),
  fault(
    'streams outlive the tokens that opened them',
    session,
    '.afterExpiry(call.auth, () => connection.end());',
    '.afterExpiry(call.auth, () => undefined);',
  ),
  fault(
    'messages that come together are run without the scopes that they need',
    'transports/http/server/session/scopes.ts',
    '  return scopes.size > 0;',
    '  return false;',
  ),
  fault('a token is good after its time', 'auth/server/verify.ts', 'exp > seconds - skew)', 'exp > seconds - 9_000)'),
  fault(
    'tokens that are taken back are good for a while all the same',
    'auth/server/stored-tokens.ts',
    'if (isMeant) this.#tokens.delete',
    'if (false) this.#tokens.delete',
  ),
  fault(
    'a pair takes requests when its token is over',
    'transports/http/server/sse-pair.ts',
    'if (pair.expired && messages.some(isRequest)) return noSession();',
    '',
  ),
  fault(
    'clocks run while a person is asked',
    'connection/pending.ts',
    '    this.#idle?.();\n    this.#total?.();\n  }\n\n  #start',
    '  }\n\n  #start',
  ),
  fault(
    'a task that nobody waits for any more goes on',
    'server/runtime/input/as-task.ts',
    "if (typeof taskId === 'string' && taskId.length <= maxIdCharacters) void quiet",
    'if (false) void quiet',
  ),
  fault(
    'what is too much within a request is borne',
    'connection/pending.ts',
    'if (over !== undefined) this.#giveUp(new',
    'if (false) this.#giveUp(new',
  ),
  fault(
    'an aborted request is not told to its server',
    'connection/connection.ts',
    'options.tellCancelled &&',
    'false &&',
  ),
  ...[
    fault(
      'a stream that is taken up elsewhere lacks its first event',
      shared('shared-stream'),
      'connection.replay(written(name, missed.events));',
      'connection.replay(written(name, missed.events.slice(1)));',
    ),
    fault(
      'a stream that is taken up tells what was read before',
      shared('shared-stream'),
      'if (number !== undefined && number <= this.#seen) return;',
      '',
    ),
    fault(
      'events are written before they are kept',
      shared('shared-stream'),
      'const number = await kept;',
      'const number = this.#seen + 1; void kept;',
    ),
    fault(
      'answers do not reach the process that asked',
      shared('session-replica'),
      "void mailbox.insist(requester, told, (cause) => this.#failed('an answer could not be passed on', cause));",
      '',
    ),
    fault(
      'cancellations do not reach the process that runs',
      shared('session-replica'),
      'if (isRequestId(id) && !runs(id)) void this.#copies.tell',
      'if (false) void this.#copies.tell',
    ),
    fault(
      'a stream that moved says nothing of what was missed',
      shared('stream-lease'),
      'this.isMoved = (kept !== undefined || evenIfOpen) && !(kept?.text === process && this.#isHeard);',
      '',
    ),
    fault(
      'processes give out the same ids',
      shared('session-replica'),
      'this.idsBegin = `${parts.mailbox.name}-${parts.mailbox.next()}-`;',
      "this.idsBegin = 'same-';",
    ),
    fault(
      'a session is not kept for other processes',
      shared('session-replicas'),
      'if (record === undefined || !(await member.open(session, owner, record)))',
      'member.adopted(session, { owner, record: record! }, 1);\n    if (record === undefined)',
    ),
    fault(
      'pauses of what is told again do not end',
      shared('process-mailbox'),
      'for (const end of this.#pauses) end();',
      '',
    ),
    fault(
      'a session is kept alive by a process that has it for long alone',
      shared('session-replica'),
      'this.#usedAt = parts.settings.now();',
      'this.#usedAt = this.#touchedAt = parts.settings.now();',
    ),
    fault(
      'another process that ends a session is not heard',
      shared('session-replica'),
      "case 'ended':\n        return this.#gone('ended');",
      "case 'ended':\n        return;",
    ),
  ].map((one): PlantedFault => ({ ...one, nodes: 3 })),
  {
    // Of three, one that does not know the session yet learns of it anew, and tells the others.
    ...fault(
      'what a store that took over does not know is waited for',
      shared('session-replica'),
      'if (now.version < version) this.#kept',
      'if (false) this.#kept',
    ),
    nodes: 2,
  },
  {
    name: 'an event that was kept without an answer is kept again',
    file: 'transports/http/server/session/shared/stored-events.ts',
    nodes: 3,
    from: 'const found = this.#found.shift();',
    to: 'const found = undefined as KeptEvent | undefined;',
  },
  {
    name: 'a stream that ended and could not be kept is not remembered',
    file: 'transports/http/server/session/shared/shared-streams.ts',
    nodes: 3,
    from: 'if (!ended.isKept) addNewest(this.#unkept, maxUnkept, name);',
    to: '',
  },
];
