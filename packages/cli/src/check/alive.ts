import { connect } from 'node:net';
import { after, monotonicNow } from '../../../parley/src/jsonrpc/timeout.ts';

/** Time in which all connections of a process that ends are over, in milliseconds. */
const endingMs = 100;

/** Time within which whatever restarts a server has it listen again, in milliseconds. */
export const restartMs = 10_000;

/** A connection on which nothing is said. It ends with the process at its other end, whatever listens there a moment later. */
interface IdleConnection {
  readonly isOpen: boolean;
  close(): void;
}

/** Longest wait for a connection, and the pause before the next one is tried, in milliseconds. */
const [connectMs, pauseMs] = [2_000, 250];

/** Connects to a server of HTTP, and says nothing; `isOpen` is false where nobody listens. */
async function idleConnection({ protocol, hostname, port }: URL): Promise<IdleConnection> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
  let isOpen = false;
  await new Promise<void>((resolve) => {
    const cancel = after(connectMs, resolve, true);
    socket.once('connect', () => {
      isOpen = true;
      cancel();
      resolve();
    });
    // What is said on it, such as that it is idle for too long, is of no use: it has to end to be seen.
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

/** Waits until somebody listens at an address. @returns Whether somebody did within the time, in milliseconds. */
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
 * Does something while an idle connection is open.
 *
 * @param isBroken Tells of what came that it may be the end of the server.
 * @returns What came of it, and whether the connection ended meanwhile, though another one stays open for as long.
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

/** Tells whether nobody ends an idle connection within a time, in milliseconds; true where nobody listens. */
async function staysOpen(url: URL, ms: number): Promise<boolean> {
  const idle = await idleConnection(url);
  const wasOpen = idle.isOpen;
  if (wasOpen) {
    await rest(ms);
    // On a busy machine the end of a connection is heard later than it came.
    await rest(endingMs);
  }
  const stays = !wasOpen || idle.isOpen;
  idle.close();
  return stays;
}

async function rest(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void after(ms, resolve, true));
}
