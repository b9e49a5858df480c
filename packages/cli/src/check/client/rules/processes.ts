/** Rules about how a client begins and ends the processes of its servers. */

import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { sameAs, type ClientRule } from '../client-rule.ts';
import { dyingTimes, type ServedProcess } from '../served-process.ts';

const restarts: ClientRule = {
  id: 'stdio-015',
  over: 'stdio',
  message: 'The client restarts a server whose process died',
  fix: 'start the command again when the process ends by itself, at once or with the next request',
  atEnd({ process }, { isGone }) {
    if (process?.diedAt === undefined) return 'not-seen';
    if (process.isSucceeded) return 'holds';
    const ms = monotonicNow() - process.diedAt;
    // Who ends with its server may have been told to.
    if (!isGone || !process.wasAlone || ms < dyingTimes.restart) return 'not-seen';
    return { breaks: `the process died, and in ${Math.round(ms)} ms no other was started` };
  },
};

const listensAgain: ClientRule = {
  id: 'subs-011',
  over: 'stdio',
  message: 'After a reconnect over stdio, the client sends subscriptions/listen again',
  fix: 'keep the filters of all streams of changes that are open, and send subscriptions/listen with each of them to the new process',
  atEnd({ process, streamCount }) {
    const { before } = process ?? {};
    if (process === undefined || before === undefined || before.listening === 0) return 'not-seen';
    if (streamCount > 0) return 'holds';
    // Another connection of the same host, which has nothing to take up, begins its process as well.
    if (process.wasBeside || process.isTakenUpLater) return 'not-seen';
    const { ms, isOver } = process.goingOn;
    // Who begins another for one last call needs no stream any more.
    if (ms < (isOver ? dyingTimes.ended : dyingTimes.goesOn)) return 'not-seen';
    return {
      breaks: `it listened when the process died, and went on for ${Math.round(ms)} ms with another without that`,
    };
  },
};

/** Time after which who ended a process without a word lived on, and did not end with it, in milliseconds. */
const livedOnMs = 2_000;

/** A rule about how a process is ended that its client needs no more. */
function endsInput(id: string): ClientRule {
  return {
    id,
    over: 'stdio',
    message: 'A client closes the input of an unneeded server, and waits for its exit',
    fix: 'close the standard input of the process, wait for a while, and only then end it by force',
    atEnd({ process }, { isStarted }) {
      if (process === undefined || process.diedAt !== undefined) return 'not-seen';
      const { inputEndedAt, signalledAt, signal, goneAt } = process;
      if (inputEndedAt !== undefined && (signalledAt === undefined || inputEndedAt < signalledAt)) return 'holds';
      // A user, or a shutdown, may have sent the signal; and a killed client closes its input too.
      if (isStarted !== true || goneAt === undefined || inputEndedAt !== undefined) return 'not-seen';
      if (signalledAt !== undefined)
        return signal === 'SIGTERM'
          ? { breaks: `SIGTERM came, and its input was open for ${Math.round(goneAt - signalledAt)} ms after that` }
          : 'not-seen';
      return killed(process, goneAt);
    },
  };
}

function killed({ beganAt }: ServedProcess, goneAt: number): ReturnType<NonNullable<ClientRule['atEnd']>> {
  if (beganAt === undefined || monotonicNow() - goneAt < livedOnMs) return 'not-seen';
  return { breaks: 'it was killed, and its input had not been closed' };
}

/** Rules about processes. */
export const processRules: readonly ClientRule[] = [
  restarts,
  listensAgain,
  sameAs(listensAgain, 'stdio-016', 'The client sends subscriptions/listen again after a restart'),
  endsInput('stdio-012'),
  endsInput('stdio-013'),
];
