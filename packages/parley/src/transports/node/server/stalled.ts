import type { ServerResponse } from 'node:http';

/** Time for which a client of a server that is not ours may take nothing of its answer, in milliseconds. */
export const stallMs = 60_000;

/**
 * Ends the connection of a client that takes nothing of an ended answer for so long: the answer would stay in memory as
 * long as its client likes. Any progress begins the time again.
 *
 * @param ms No limit if it is 0.
 */
export function limitStall(response: ServerResponse, ms: number): void {
  const { socket } = response;
  if (ms === 0 || response.writableFinished) return;
  // Answers before it on this connection are not sent yet.
  if (socket === null) return void response.once('prefinish', () => limitStall(response, ms));
  // What is small waits in the system, or will soon.
  if (!socket.writableNeedDrain) return;
  // Node counts the bytes that left as activity, and ends a connection without any.
  socket.setTimeout(ms);
  // Before Node's own listener, which sets the time for the next request.
  response.prependOnceListener('finish', () => socket.setTimeout(0));
}
