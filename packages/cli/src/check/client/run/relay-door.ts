/**
 * Entry of a check that outlives the servers that its client starts: each of them connects to it, and forwards
 * messages.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { JudgedClient } from './judged-client.ts';
import { speakLines } from './lines-door.ts';
import { framesOf, tellBytes, tellFrame } from './frames.ts';
import { ServedProcesses } from '../served-process.ts';

/** Limit of the servers that run at once. */
const maxAtOnce = 50;

/** An open door. */
export interface RelayDoor {
  /** Path to which servers connect. */
  readonly path: string;
  close(): Promise<void>;
}

/** Opens it for this user alone. */
export async function openRelayDoor(revisions: readonly Revision[], judged: JudgedClient): Promise<RelayDoor> {
  const folder = process.platform === 'win32' ? undefined : await mkdtemp(join(tmpdir(), 'parley-check-'));
  const path = folder === undefined ? `\\\\.\\pipe\\parley-check-${crypto.randomUUID()}` : join(folder, 'judge');
  const processes = new ServedProcesses();
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (open.size >= maxAtOnce) return void socket.destroy();
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    serve(socket, revisions, { judged, processes }).catch((error: unknown) => {
      judged.failure ??= { error };
      socket.destroy();
    });
  });
  const leave = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await listening(server, path);
  } catch (error) {
    await leave();
    throw error;
  }
  const close = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await leave();
  };
  return { path, close };
}

/** Most bytes of the path of a socket that every system takes. */
const maxPathLength = 100;

/** @throws Error that says why, where nothing can listen there. */
async function listening(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const isLong = process.platform !== 'win32' && Buffer.byteLength(path) > maxPathLength;
      const why = `the folder for temporary files, ${tmpdir()}, has too long a path for a socket; set TMPDIR to a shorter one`;
      reject(isLong ? new Error(why, { cause }) : cause);
    });
    server.listen(path, resolve);
  });
}

interface Serving {
  readonly judged: JudgedClient;
  readonly processes: ServedProcesses;
}

/** Serves one process until it has gone. */
async function serve(socket: Socket, revisions: readonly Revision[], { judged, processes }: Serving): Promise<void> {
  const served = processes.started(() => {
    tellFrame(socket, { dies: true });
    socket.end();
  });
  const input = new PassThrough();
  const output = new Writable({
    write(piece: Buffer, _, done) {
      tellBytes(socket, piece);
      done();
    },
  });
  const over = new Promise<void>((resolve) => socket.once('close', resolve));
  const spoken = speakLines({ input, output }, revisions, judged, { process: served, over });
  for await (const { bytes, parent, isEnded, signal } of framesOf(socket)) {
    if (typeof parent === 'number') processes.placed(served, parent);
    if (typeof signal === 'string') {
      served.signal ??= signal;
      served.signalledAt ??= monotonicNow();
    }
    if (typeof bytes === 'string') {
      served.beganAt ??= monotonicNow();
      const isTaken = input.write(Buffer.from(bytes, 'base64'));
      if (!isTaken) await new Promise<void>((resolve) => input.once('drain', resolve));
    }
    if (isEnded === true) {
      served.inputEndedAt ??= monotonicNow();
      input.end();
      // It waits for the last answers.
      void spoken.then(() => socket.end());
    }
  }
  served.goneAt = monotonicNow();
  socket.end();
  if (!input.writableEnded) input.end();
  await spoken;
}
