/** Each sentence of docs/what-can-run-twice.md, with the tests that show it. */

const rounds = 'test/rounds-delivered-again.test.ts';
const once = 'packages/parley/src/connection/memoized-steps.test.ts';
const single = 'packages/parley/src/server/runtime/input/single-use.test.ts';
const lost = 'test/tasks/lost-effects.test.ts';
const crashes = 'packages/parley/src/server/tasks/crashes.test.ts';
const session = 'packages/parley/src/client/connection/connection-loss.test.ts';
const answers = 'packages/parley/src/client/lost-answers.test.ts';
const deliveries = 'packages/parley/src/bridge/upstream/suspended/deliveries.test.ts';
const transport = 'packages/parley/src/transports/http/client/transport-limits.test.ts';
const refused = 'test/run-twice/refused.test.ts';
const own = 'test/run-twice/run-twice.test.ts';

/** A test, by its file and a part of its title. */
export type ShownBy = readonly [file: string, title: string];

const delivered: ShownBy = [
  own,
  'the first request of a call runs once for each delivery, and a key of the order pays once',
];
const runsOnce: ShownBy = [once, 'runs at most once whatever it returns'];
const together: ShownBy = [rounds, 'pays once if the deliveries come together, and each is told of that payment'];
const inTurn: ShownBy = [rounds, 'pays once if they come one after the other'];
const repeats: ShownBy = [
  rounds,
  'a client that trusts hints repeats a round after a broken connection, and pays once',
];
const questions: ShownBy = [own, 'an effect outside of ctx.once runs in each run of the handler'];

/** The sentences, and the rows of tables as `what happens: what runs`, in the order of the page. */
export const sentences: Readonly<Record<string, readonly ShownBy[]>> = {
  'Networks, proxies and clients can deliver a call more than once.': [delivered, repeats],
  'Wrap each side effect of a handler in `ctx.once`.': [runsOnce, questions],
  'Pass an idempotency key to the service behind it.': [delivered],
  'The connection can break while the service charges the card.': [
    [refused, 'whose server process dies before it answers is rejected as soon as the connection breaks'],
  ],
  'The handler may finish, but the client does not receive the result.': [
    [own, "['2026-07-28', true, 'loses its connection']"],
  ],
  'If the model calls the tool again, that is a new call, and `ctx.once` does not recognize it.': [delivered],
  'The service recognizes the key, and does not charge twice.': [delivered],
  'Use a key that names the order, not the request.': [delivered],
  'A call that is sent again must carry the same key.': [delivered],
  '`ctx.once` also passes an id to its function.': [
    [once, 'gets an id that is its own, and the same when it is tried again in a later round'],
  ],
  'The id is the same in every run of one call or task.': [
    [once, 'gets an id that is its own, and the same when it is tried again in a later round'],
    [
      'packages/parley/src/server/tasks/executor.test.ts',
      'an effect that is tried again after its process died has the same id',
    ],
  ],
  'A call that is sent again from the beginning gets another id.': [delivered],
  'If the function rejects, a later run calls it again.': [[once, 'that failed may be tried again']],
  'Return a value that JSON can hold.': [
    [once, 'that JSON cannot hold is refused by name when it is made, and does not run again'],
  ],
  'If JSON cannot hold the value, `ctx.once` rejects, and the effect does not run again.': [
    [once, 'that JSON cannot hold is refused by name when it is made, and does not run again'],
    [once, 'that was refused is refused again, where the handler went on'],
  ],
  'The first request of a call is delivered several times: Once for each delivery. It has no state by which the server could recognize it.':
    [delivered],
  'A client in a session sends a call again: Once for each call.': [
    [own, 'a call that is sent again in a session runs again'],
  ],
  'A handler asks a question in 2026-07-28: The handler runs again from the top. Its effects in `ctx.once` do not.': [
    runsOnce,
    questions,
  ],
  'A handler asks a question, and an effect before it is not in `ctx.once`: In 2026-07-28, once in each run. In a session, once.':
    [questions],
  'The client cancels the call, or in 2026-07-28 closes its connection: No further effect. `ctx.once` rejects. An effect that has begun goes on.':
    [
      [own, "['2026-07-28', false, 'is cancelled']"],
      [own, "['2026-07-28', true, 'loses its connection']"],
      [own, "['2025-11-25', false, 'is cancelled']"],
    ],
  'In 2026-07-28, a client answers a question by sending the call again with a `requestState`.': [together],
  'A proxy or a client can deliver that request more than once.': [repeats],
  'The request is delivered several times, together or one after another: Once. Every delivery gets the same outcome for ten minutes.':
    [together, inTurn, [single, 'an outcome is kept for ten minutes, and the state is refused after them']],
  'The request is delivered again after these ten minutes: Nothing. The error says that the call may have run.': [
    [single, 'an outcome is kept for ten minutes, and the state is refused after them'],
    [single, 'an outcome outlives its state, and an expired state begins no run'],
  ],
  'The state has expired, and no outcome is stored: Nothing. The error says that the call may have run.': [
    [rounds, 'an expired state gives the outcome of its round, and runs nothing'],
  ],
  'The server cannot open the state, as after a restart without `rounds.keys`: Nothing. The error says that the call may have run.':
    [[rounds, 'a state of a process that is gone is not called harmless to begin again']],
  'The deliveries reach two processes that share a store: Once.': [
    [rounds, 'pays once in two processes that share a store, while the first runs and after it'],
  ],
  'The deliveries reach two processes without a shared store: Once in each process.': [
    [rounds, 'pays in each of two processes that share no store'],
  ],
  'The state is used again with another answer: Nothing. The server rejects the request.': [
    [rounds, 'a state that was used is refused with another answer'],
  ],
  'The connection breaks while the round runs, and the client repeats the request: Once. The repeated request gets the result.':
    [[rounds, 'a round whose connection broke is finished for the client that repeats it in'], repeats],
  'A round fails with a protocol error and is repeated: The handler runs again. Its effects do not.': [
    [rounds, 'a round that failed with an error runs again, and its effects do not'],
  ],
  'The server sets `rounds: { singleUse: false }`: Once for each delivery.': [
    [rounds, 'pays three times with singleUse: false'],
  ],
  'A run holds a task for a limited time, its lease.': [[lost, 'begins no effect after its lease by the']],
  'Before `ctx.once` calls its function, the run renews its lease.': [
    [lost, 'begins no effect if it stood still while the store renewed its lease'],
  ],
  'A client starts a task again: Once for each task.': [[own, 'a task that is started again runs again']],
  'The task is cancelled, here or through another process: No further effect.': [
    [own, 'a task that is cancelled in its own process begins no further effect'],
    [lost, 'begins no effect once the task was cancelled through another process'],
  ],
  'Another process claims the task: No further effect in the first process.': [
    [lost, 'begins no effect once another process claimed the task'],
  ],
  'The process stops until its lease has ended: No further effect, even if nobody took the task.': [
    [lost, 'begins no effect after its lease by the'],
  ],
  'The process dies, and the task has attempts left: The handler runs again from the top. Effects whose results were stored do not.':
    [[crashes, 'a run that may begin again does so in another process, and knows what was kept']],
  'The process dies, and the task has no attempts left: Nothing. The task fails.': [
    [crashes, 'a run that may not begin again ends its task as failed, and is never begun again'],
  ],
  'The process dies after an effect, before its result is stored: The next run repeats the effect with the same id.': [
    [
      'packages/parley/src/server/tasks/executor.test.ts',
      'an effect that is tried again after its process died has the same id',
    ],
  ],
  'The process stops after the renewal, before the effect itself: The effect can begin after another process took the task. Only an idempotency key covers this.':
    [[own, 'a process that stops within an effect can begin it late, and a key pays once']],
  'A task has one attempt.': [
    [
      'packages/parley/src/server/tasks/away.test.ts',
      'a run may begin three times where its tool says that it changes nothing, or repeats well',
    ],
  ],
  'If its tool has `readOnlyHint` or `idempotentHint`, it has three.': [
    [
      'packages/parley/src/server/tasks/away.test.ts',
      'a run may begin three times where its tool says that it changes nothing, or repeats well',
    ],
  ],
  'Set `attempts` to change that.': [
    [
      'packages/parley/src/server/tasks/away.test.ts',
      'a run may begin three times where its tool says that it changes nothing, or repeats well',
    ],
  ],
  'A Parley client sends a list or a read again, once, if the answer was lost over HTTP.': [
    [answers, 'is asked for once more, by a new request'],
    [answers, 'twice is an error'],
  ],
  'It sends a tool call again only if you allow it.': [
    [answers, 'is an error'],
    [answers, 'of a tool that may be called twice is asked for once more'],
  ],
  'The connection ends before the answer: It rejects the call with `closed`. The server may have run it.': [
    [answers, 'is an error'],
    [
      'packages/parley/src/transports/http/client/unreached.test.ts',
      'a request that the server has when the connection ends was not refused, by',
    ],
  ],
  'The same, and the call has `repeat: true`: It sends the call again, once.': [
    [answers, 'of a tool that may be called twice is asked for once more'],
  ],
  'The same, `trustToolHints` is on, and the tool has `readOnlyHint` or `idempotentHint`: It sends the call again, once.':
    [[answers, 'of a tool that may be called twice is asked for once more']],
  'The server refuses the call because it lost the session: It rejects the call with `session-lost`. Nothing ran.': [
    [session, 'makes the call of a tool fail, and the next one work'],
  ],
  "The same, with `sessionLost: 'repeat'`: It sends the call again in a new session.": [
    [session, "has the call of a tool sent once more, with sessionLost: 'repeat', since a 404 ran nothing"],
  ],
  'The session is lost while the call runs: It rejects the call. The server may have run it.': [
    [session, "fails a call that was under way beside the refused one, even with sessionLost: 'repeat'"],
  ],
  'The server answers 429 or 503: It rejects the call.': [
    [answers, 'is not asked for again where the server says that it has no room now'],
  ],
  'The server does not answer in time: It cancels and rejects the call.': [
    ['packages/parley/src/client/request-time.test.ts', 'ends without progress, and the server is told'],
  ],
  'The process on stdio ends: It rejects the call.': [
    ['packages/parley/src/client/process-death.test.ts', 'fails what was under way, also what could be repeated'],
  ],
  'The server process dies during the call, before the answer begins: It rejects the call with `closed` as soon as the connection breaks. The server may have run it.':
    [[refused, 'whose server process dies before it answers is rejected as soon as the connection breaks']],
  'The server process dies during the call, after the answer has begun as a stream of 2026-07-28: The same.': [
    [refused, 'a stateless call whose server process dies within its stream is rejected as soon as the connection'],
  ],
  'The server process dies during the call, after the answer has begun as a stream of a session: It tries to resume the stream until `timeoutMs`, and rejects the call with `timeout`. The server may have run it.':
    [[refused, 'a call in a session whose server process dies within its stream is resumed until it times out']],
  'The server answers 307 or 308 with a URL of the same origin: It sends the call to that URL. It follows three redirects at most.':
    [
      [transport, '${status} within the origin is followed with method and body'],
      [transport, 'redirects in a circle end'],
    ],
  'The server answers 307 or 308 with a URL of another origin: It rejects the call with `http`.': [
    [transport, 'a redirect to another origin is never followed, so no credential goes there'],
  ],
  "The server answers 421: Node's `fetch` sends the call again, once. After a second 421, the client rejects the call with `http`.":
    [[refused, 'a call with the answer 421 is sent twice by fetch, and then rejected']],
  'In 2026-07-28, the server answers the error -32020 (header mismatch): It lists the tools and sends the call again, once.':
    [
      [
        'packages/parley/src/client/client-tool-calls.test.ts',
        'are learned anew when the server finds a mismatch, once [http-103] [http-104]',
      ],
    ],
  'A server that answers a redirect, 421 or -32020 must not have run the call.': [
    [refused, 'a call with headers unlike its body is rejected before its handler runs'],
  ],
  'A bridge forwards each call once.': [[own, 'a bridge forwards each call once, also if its answer is lost']],
  'The server wants a page visited first, and the client answers several times: The bridge sends the call again, once.':
    [
      [
        'packages/parley/src/bridge/upstream/suspended/suspended-calls.test.ts',
        'has the call made anew once, however often the answer is delivered',
      ],
    ],
  "The client's answer to a sign-in of the bridge is delivered several times: The bridge forwards the call once.": [
    [
      'packages/parley/src/bridge/principals/login-question-rounds.test.ts',
      'and its request is done once, however often the answer is delivered',
    ],
  ],
  'A round before a session-based server is delivered several times: Once. Every delivery gets the same outcome for ten minutes.':
    [
      [deliveries, 'runs once, and each delivery gets its outcome'],
      [deliveries, 'an outcome is dropped after ten minutes, and when its owner has too many'],
    ],
  'The bridge does not know the outcome of a round any more: Nothing. The error says that the call may have run.': [
    [deliveries, 'is refused as one that may have run where its outcome is not known'],
  ],
  'Every connection that waits for a round breaks: The bridge cancels the call. The error of a repeated request says that the call may have run.':
    [[deliveries, 'whose only client left is refused with the advice that it may have run']],
  'A round is delivered again with another answer: Nothing. The bridge rejects the request.': [
    ['packages/parley/src/bridge/upstream/suspended/bus.test.ts', 'is not answered twice for one round'],
  ],
};
