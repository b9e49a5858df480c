import { connect } from 'node:net';
import { after, monotonicNow } from '../../../parley/src/jsonrpc/timeout.ts';

/** Time in which all connections of a process that ends are over, in milliseconds. */
const endingMs = 100;

/** Time within which whatever restarts a server has it listen again, in milliseconds. */
export const restartMs = 10_000;

/**
 * An idle connection. It ends with the process at its other end, even if another process listens there a moment later.
 */
interface IdleConnection {
  readonly isOpen: boolean;
  close(): void;
}

/** Longest wait for a connection, and the pause before the next one is tried, in milliseconds. */
const [connectTimeoutMs, pauseMs] = [2_000, 250];

/** Connects to an HTTP server, and sends nothing; `isOpen` is false if no process listens. */
async function idleConnection({ protocol, hostname, port }: URL): Promise<IdleConnection> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
  let isOpen = false;
  await new Promise<void>((resolve) => {
    const cancel = after(connectTimeoutMs, resolve, true);
    socket.once('connect', () => {
      isOpen = true;
      cancel();
      resolve();
    });
    // Received data, such as a time-out notice, is ignored: only the end of the connection counts.
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      isOpen = false;
      cancel();
      resolve();
    });
  });
  return {
    get isOpen() {
      return isOpen;
    },
    close: () => void socket.destroy(),
  };
}

/** Waits until a process listens at an address. @returns True if one did within the time, in milliseconds. */
export async function listensWithin(url: URL, ms: number): Promise<boolean> {
  const end = monotonicNow() + ms;
  for (;;) {
    const { isOpen, close } = await idleConnection(url);
    close();
    if (isOpen || monotonicNow() >= end) return isOpen;
    await rest(pauseMs);
  }
}

/**
 * Runs an action while an idle connection is open.
 *
 * @param isBroken Tells whether the outcome may mean the end of the server.
 * @returns The outcome, and whether the connection ended meanwhile although another one stays open for as long.
 */
export async function besideIdle<T>(
  url: URL,
  act: () => Promise<T>,
  isBroken: (came: T) => boolean,
): Promise<readonly [came: T, isEnded: boolean]> {
  const began = monotonicNow();
  const idle = await idleConnection(url);
  const wasOpen = idle.isOpen;
  const came = await act();
  // The connections of a process end one after the other.
  if (isBroken(came)) await rest(endingMs);
  const isEnded = isBroken(came) && wasOpen && !idle.isOpen;
  idle.close();
  return [came, isEnded && (await staysOpen(url, monotonicNow() - began))];
}

/** Tells whether an idle connection stays open for a time, in milliseconds; true if no process listens. */
async function staysOpen(url: URL, ms: number): Promise<boolean> {
  const idle = await idleConnection(url);
  const wasOpen = idle.isOpen;
  if (wasOpen) {
    await rest(ms);
    // On a busy machine, the end of a connection is seen late.
    await rest(endingMs);
  }
  const stays = !wasOpen || idle.isOpen;
  idle.close();
  return stays;
}

async function rest(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void after(ms, resolve, true));
}
