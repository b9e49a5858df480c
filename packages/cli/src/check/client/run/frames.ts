/** Words between a server that a client starts, which only passes on what it hears, and its judge, which outlives it: one JSON value a line. */

import type { Socket } from 'node:net';
import { jsonIn } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { textLinesOf } from './lines-door.ts';

/** Something that one end tells the other. */
export interface RelayFrame {
  /** Bytes that came, or are to be said, as base64. */
  readonly bytes?: string;
  /** Id of the process that started the server; sent first. */
  readonly parent?: number;
  /** True when the client has said its last. */
  readonly isEnded?: true;
  /** Signal that asks the server to end. */
  readonly signal?: string;
  /** True where the server is to die at once. */
  readonly dies?: true;
}

/** Bytes that one frame has at most: as many lines are read as a line may be long. */
const mostBytes = 256 * 1024;

/** Tells something. @returns False where the other end reads too slowly. */
export function tellFrame(socket: Socket, frame: RelayFrame): boolean {
  return !socket.destroyed && socket.write(`${JSON.stringify(frame)}\n`);
}

/** Tells bytes, in frames of which none is too long. @returns False where the other end reads too slowly. */
export function tellBytes(socket: Socket, bytes: Buffer): boolean {
  let isTaken = true;
  for (let at = 0; at < bytes.length; at += mostBytes)
    isTaken = tellFrame(socket, { bytes: bytes.subarray(at, at + mostBytes).toString('base64') });
  return isTaken;
}

/** Frames of the other end, until it has closed. Invalid frames are skipped. */
export async function* framesOf(socket: Socket): AsyncGenerator<RelayFrame> {
  try {
    for await (const line of textLinesOf(socket)) {
      const value = line === undefined ? undefined : jsonIn(line);
      // Every field of a frame is optional, and its reader checks the type.
      if (isObject(value)) yield value as RelayFrame;
    }
  } catch {
    // A connection that breaks off is one that is over.
  }
}
