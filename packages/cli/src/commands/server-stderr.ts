import { reworded, type ConnectionError, type Transport } from '../../../parley/src/jsonrpc/transport.ts';
import { spawn, type SpawnOptions } from '../../../parley/src/transports/stdio/client/transport.ts';
import { unpassedWords, type PassOn } from '../../../parley/src/transports/stdio/client/unpassed.ts';
import { after } from '../../../parley/src/jsonrpc/timeout.ts';
import { beforeCrash, crashLine } from '../check/harness/crash.ts';
import type { Io } from './io.ts';

/** Limit of the text that is compared or held back, in characters. */
const maxCompared = 65_536;

/**
 * Reaches a server by a command, and prints what it writes to standard error. A client starts a command twice when its first
 * process ends unheard; what the second process repeats is printed once.
 */
export function commandWay(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  io: Pick<Io, 'stderr'>,
  pass?: PassOn,
): Transport {
  const ended = (error: ConnectionError): ConnectionError => withUnpassed(error, options.env, pass);
  if (options.onStderr !== undefined) return endingWith(spawn(command, args, options), ended);
  let before = '';
  return {
    ...spawn(command, args, options),
    async open(receiver) {
      const held = heldBack((text) => void io.stderr.write(text));
      const printer = printerAfter(before, held.write);
      before = '';
      let isHeard = false;
      return await spawn(command, args, { ...options, onStderr: printer.write }).open({
        ...receiver,
        message(value, about) {
          isHeard = true;
          held.release();
          receiver.message(value, about);
        },
        closed(error) {
          if (!isHeard) before = printer.written();
          held.end(isHeard ? undefined : crashLine(printer.written()));
          receiver.closed(withReason(withoutStderr(ended(error), printer.written()), printer.written()));
        },
      });
    },
  };
}

/** Time for which the first text of a process is held back, in milliseconds: most that crash at their start do so in it. */
const holdMs = 2_000;

/** Text that is held back until the process is heard, ends, or runs for a moment. */
interface HeldBack {
  write(text: string): void;
  release(): void;
  /** Prints what is held; of a process that crashed, what it wrote before. The error has the reason. */
  end(crash: string | undefined): void;
}

function heldBack(print: (text: string) => void): HeldBack {
  let held: string | undefined = '';
  const release = (shown = held): void => {
    cancel();
    held = undefined;
    if (shown !== undefined && shown !== '') print(shown);
  };
  const cancel = after(holdMs, () => release());
  return {
    write(text) {
      if (held === undefined) print(text);
      else if ((held += text).length > maxCompared) release();
    },
    release: () => release(),
    end: (crash) => release(held === undefined || crash === undefined ? held : beforeCrash(held)),
  };
}

/** The same way, with another error for its end. */
function endingWith(way: Transport, ended: (error: ConnectionError) => ConnectionError): Transport {
  const open: Transport['open'] = (receiver) =>
    way.open({ ...receiver, closed: (error) => receiver.closed(ended(error)) });
  return { ...way, open };
}

/** The beginning of the message of a process that ended. Its standard error follows. */
const endOfProcess = /^the server \(.*?\) (?:exited with code \w+|was ended by \w+)/s;

/** Begins with the reason of a crash, which stands somewhere in the text that was printed. */
function withReason(error: ConnectionError, written: string): ConnectionError {
  const line = error.reason === 'exited' ? crashLine(written) : undefined;
  return line === undefined ? error : reworded(error, (message) => `${line}; ${message}`);
}

/** Names the variables that the process mentions in its standard error and did not get. */
function withUnpassed(error: ConnectionError, env: SpawnOptions['env'], pass?: PassOn): ConnectionError {
  const { reason, message } = error;
  const [how] = endOfProcess.exec(message) ?? [];
  if (reason !== 'exited' || how === undefined) return error;
  const said = message.slice(how.length);
  const unpassed = unpassedWords(said, env, pass);
  return unpassed === '' ? error : reworded(error, () => `${how} (${unpassed})${said}`);
}

/** Prints text, but for what repeats the text before. Numbers do not count: they may be process ids or times. */
function printerAfter(
  before: string,
  print: (text: string) => void,
): { readonly write: (text: string) => void; readonly written: () => string } {
  const known = withoutNumbers(before);
  let written = '';
  let repeats = known !== '';
  return {
    write(text) {
      const held = repeats ? written : '';
      written = (written + text).slice(-maxCompared);
      repeats &&= known.startsWith(withoutNumbers(written));
      if (!repeats) print(held + text);
    },
    written: () => written,
  };
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

/** The message of a process that ended repeats the end of its standard error, which was printed. */
function withoutStderr(error: ConnectionError, written: string): ConnectionError {
  const { reason, message } = error;
  const end = reason === 'exited' ? message.indexOf(`: ${written.slice(-2_048).trim()}`) : -1;
  return end < 0 || written.trim() === '' ? error : reworded(error, () => message.slice(0, end));
}
