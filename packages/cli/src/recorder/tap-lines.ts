import { messageText } from '../../../parley/src/jsonrpc/encode.ts';
import type { Channel, Receiver, Transport } from '../../../parley/src/jsonrpc/transport.ts';
import { factsOf } from '../../../parley/src/jsonrpc/transport-facts.ts';
import type { Recorder } from './entry.ts';
import { wholeLines, type WholeLines } from './whole-lines.ts';

/** A conversation that is recorded where no `fetch` is: the transport, and a listener to its standard error. */
export interface LineTap {
  /** Receives the standard error of the latest conversation's process, in whole lines. */
  onStderr(text: string): void;
  /** The same transport, told to the recorder. Where HTTP carries the messages, `tapHttp` hears them. */
  listen(transport: Transport): Transport;
}

/**
 * Makes a tap for transports with one line per message, and for others without HTTP, whose messages are recorded as
 * JSON.
 *
 * @param started Receives the id of the process of each conversation that has one.
 */
export function tapLines(recorder: Recorder, started: (pid: number) => void = () => {}): LineTap {
  let connection = 0;
  const stderr = wholeLines(
    (text) => void recorder.note({ lane: 'stderr', from: 'server', text, connection }),
    (text) => recorder.secretAtEnd?.(text) ?? 0,
  );
  return {
    onStderr: (text) => stderr.feed(text),
    listen(transport) {
      return {
        ...factsOf(transport),
        ...(transport.opensOnce === undefined ? {} : { opensOnce: transport.opensOnce }),
        ...(transport.authorization && { authorization: transport.authorization }),
        async open(receiver) {
          stderr.flush();
          const own = recorder.connect();
          connection = own;
          const channel = await transport.open(hearing(receiver, { recorder, connection: own, stderr }));
          if (channel.pid !== undefined) started(channel.pid);
          return sending(channel, recorder, own);
        },
      };
    },
  };
}

interface Hearing {
  readonly recorder: Recorder;
  readonly connection: number;
  readonly stderr: WholeLines;
}

function hearing(receiver: Receiver, { recorder, connection, stderr }: Hearing): Receiver {
  const common = { from: 'server', connection } as const;
  let line: string | undefined;
  return {
    ...receiver,
    line(text) {
      line = text;
      receiver.line?.(text);
    },
    message(value, about) {
      // A value that came as JSON can be written as JSON, whatever kind of message it is.
      const text = line ?? messageText(value as Parameters<typeof messageText>[0]);
      recorder.note({ ...common, lane: 'message', text });
      line = undefined;
      receiver.message(value, about);
    },
    problem(error, about) {
      const text = about?.text ?? line;
      line = undefined;
      const answered = about?.answered ?? undefined;
      recorder.note({
        ...common,
        lane: 'message',
        problem: error.message,
        ...(text === undefined ? {} : { text }),
        ...(answered === undefined ? {} : { answered }),
      });
      receiver.problem(error, about);
    },
    closed(error) {
      stderr.flush();
      recorder.note({ ...common, lane: 'process', problem: error.message });
      receiver.closed(error);
    },
    exited(code, signal) {
      stderr.flush();
      recorder.note({ ...common, lane: 'process', exit: { code, signal } });
      receiver.exited?.(code, signal);
    },
  };
}

function sending(channel: Channel, recorder: Recorder, connection: number): Channel {
  return {
    async send(message, options) {
      recorder.note({ lane: 'message', from: 'client', text: messageText(message), connection });
      await channel.send(message, options);
    },
    ...(channel.setHeaders && { setHeaders: (headers) => channel.setHeaders?.(headers) }),
    ...(channel.listen && { listen: async () => (await channel.listen?.()) ?? true }),
    ...(channel.pid === undefined ? {} : { pid: channel.pid }),
    close: () => channel.close(),
  };
}
