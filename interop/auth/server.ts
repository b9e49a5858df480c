/** An authorization server of others that runs on this machine, and what it is to know of the server that it guards. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ManualRegistration } from '../../packages/parley/src/oauth.ts';
import type { IntrospectionOptions } from '../../packages/parley/src/auth/server/issuer-options.ts';
import type { Person } from './person.ts';

/** The server that is guarded. */
export interface Guarded {
  readonly url: string;
}

/** One that runs. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly person: Person;
  /** Our client, where it cannot register itself. */
  readonly client?: ManualRegistration;
  /** The scope that every request needs, and the one that a tool needs beside it. */
  readonly scope: string;
  readonly more: string;
  /** How our server asks about tokens, where it can; and whether they are JWTs that it can verify. */
  readonly introspection?: IntrospectionOptions;
  readonly jwt: boolean;
  close(): Promise<void>;
}

/** A program that was started. */
export interface Started {
  /** The last of what it said. */
  readonly said: () => string;
  readonly ended: () => boolean;
  close(): Promise<void>;
}

/** Starts a program in a group of its own, so that it ends with all that it starts. */
export function started(
  [command = '', ...args]: readonly string[],
  { env = {}, cwd }: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Started {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let said = '';
  let isEnded = false;
  const hear = (text: string): void => void (said = (said + text).slice(-20_000));
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')])
    .catch(() => undefined)
    .then(() => void (isEnded = true));
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  process.once('exit', kill);
  return {
    said: () => said,
    ended: () => isEnded,
    close: async () => {
      kill();
      await ended;
    },
  };
}

/** Waits until a server answers. */
export async function untilAnswered(url: string, server: Started, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until && !server.ended()) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    await setTimeout(200);
  }
  await server.close();
  throw new Error(`nothing answers at ${url}: ${server.said().slice(-1_500)}`);
}

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port, so that the address is one of those.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
