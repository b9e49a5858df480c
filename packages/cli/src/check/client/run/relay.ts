/**
 * The server that a client starts if the check runs in another process: it forwards messages, and ends with either
 * side.
 */

import { createConnection, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { after, settledWithin } from '../../../../../parley/src/jsonrpc/timeout.ts';
import { framesOf, tellBytes, tellFrame } from './frames.ts';

/**
 * Times in milliseconds: for the last answers after the client's last message, and for its last message after a signal,
 * since the client may have got the signal too.
 */
const times = { last: 5_000, signalled: 3_000 } as const;

/** Streams of the process, and its signals. */
export interface RelayParts {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Id of the process that started this one. */
  readonly parent: number;
  /** Aborted by a signal to the process, whose name is in the reason. */
  readonly signal: AbortSignal;
}

/** Passes on until one of both ends has gone. @param path Of the judge. @returns The exit code: 1 where it was to die. */
export async function relay(path: string, { stdin, stdout, parent, signal }: RelayParts): Promise<number> {
  const socket = await connected(path);
  stdout.on('error', () => socket.destroy());
  tellFrame(socket, { parent });
  const heard = new Promise<number>((resolve) => {
    void (async () => {
      for await (const { bytes, dies } of framesOf(socket)) {
        if (dies === true) return resolve(1);
        if (typeof bytes === 'string' && !stdout.destroyed) stdout.write(Buffer.from(bytes, 'base64'));
      }
      resolve(0);
    })();
  });
  const ended = passedOn(stdin, socket).then(async () => {
    tellFrame(socket, { isEnded: true });
    await settledWithin(times.last, heard);
    return 0;
  });
  const signalled = new Promise<number>((resolve) => {
    const hear = (): void => {
      const { reason } = signal as { readonly reason: unknown };
      tellFrame(socket, { signal: /SIG[A-Z]+/.exec(String(reason))?.[0] ?? 'unknown' });
      after(times.signalled, () => resolve(0), true);
    };
    if (signal.aborted) hear();
    else signal.addEventListener('abort', hear, { once: true });
  });
  const code = await Promise.race([heard, ended, signalled]);
  socket.destroy();
  stdin.destroy();
  return code;
}

/** @throws Error where there is no judge. */
function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path, () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Passes on what the client says, no faster than it is read. */
async function passedOn(stdin: Readable, socket: Socket): Promise<void> {
  try {
    for await (const piece of stdin as AsyncIterable<Buffer>)
      if (!tellBytes(socket, piece) && !socket.destroyed)
        await new Promise<void>((resolve) => onceFree(socket, resolve));
  } catch {
    // Input that breaks off is input that has ended.
  }
}

function onceFree(socket: Socket, resolve: () => void): void {
  const free = (): void => {
    for (const name of ['drain', 'close']) socket.off(name, free);
    resolve();
  };
  for (const name of ['drain', 'close']) socket.once(name, free);
}
