/** Databases that tests start for themselves: on this machine alone, in a folder that goes with them, and for a quarter of an hour at most, or `ENGINE_SECONDS`. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, chownSync, constants, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** A database server that listens on 127.0.0.1. */
export interface Engine {
  readonly port: number;
  /** Ends it at once, as where its machine fails but for its disk, and starts it again. */
  restart(): Promise<void>;
  /** Ends it, and removes what it kept. */
  stop(): Promise<void>;
}

/** Reason to skip tests that need a program; false where it is there. */
export function missing(program: 'redis-server' | 'postgres'): string | false {
  return pathOf(program) === undefined ? `${program} is not installed: npm run lab -- engines` : false;
}

/** Starts a Redis with an append-only file, which is synced as it is told. */
export async function startRedis(
  appendfsync: 'always' | 'everysec' | 'no' = 'always',
  ...more: string[]
): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-redis-'));
  const port = await freePort();
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'yes',
  ];
  const words = [...settings, '--appendfsync', appendfsync, ...more];
  return await started({
    program: pathOf('redis-server') ?? '',
    words,
    folder,
    port,
    ready: 'Ready to accept connections',
  });
}

/** Starts a sentinel of one Redis, which takes it for dead after 1 second; so many must agree, by default it alone. */
export async function startSentinel(name: string, redisPort: number, quorum = 1): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sentinel-'));
  const port = await freePort();
  // It writes what it learns into its file.
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${name} 127.0.0.1 ${redisPort} ${quorum}`,
    // A busy machine lets a Redis wait for seconds: it is not to be taken for dead.
    `sentinel down-after-milliseconds ${name} 5000`,
    `sentinel failover-timeout ${name} 10000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const words = [file, '--sentinel'];
  return await started({ program: pathOf('redis-server') ?? '', words, folder, port, ready: '+monitor master' });
}

/** Starts a PostgreSQL with one user, `parley`, and the database `postgres`. It does not care for a loss of power. */
export async function startPostgres(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  const port = await freePort();
  const program = pathOf('postgres') ?? '';
  const owner = unprivileged();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const first = ['-D', data, '-A', 'trust', '-U', 'parley', '-E', 'UTF8', '--locale', 'C.UTF-8', '--no-sync'];
  execFileSync(join(dirname(program), 'initdb'), first, { ...owner, cwd: folder, stdio: 'ignore', timeout: 120_000 });
  const words = [
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    folder,
    '-c',
    'fsync=off',
    '-c',
    'timezone=UTC',
  ];
  return await started({ program, words, folder, port, owner, ready: 'ready to accept connections' });
}

interface Starting {
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly port: number;
  readonly owner?: Owner | undefined;
  /** Words that it prints when it can be used. */
  readonly ready: string;
}

async function started({ program, words, folder, port, owner, ready }: Starting): Promise<Engine> {
  let running: Running | undefined;
  const start = async (): Promise<void> => {
    // Should the tests be killed, it ends by itself.
    const seconds = process.env['ENGINE_SECONDS'] ?? '900';
    const child = spawn('timeout', ['-k', '10', seconds, program, ...words], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running = { child, ended: new Promise<void>((resolve) => child.once('close', () => resolve())) };
    await printed(child, ready);
  };
  const end = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    running?.child.kill(signal);
    await running?.ended;
  };
  const stop = async (): Promise<void> => {
    await end('SIGINT');
    rmSync(folder, { recursive: true, force: true });
  };
  const restart = async (): Promise<void> => {
    // PostgreSQL ends so without a checkpoint, and Redis has no word for it.
    await end('SIGQUIT');
    await start();
  };
  try {
    await start();
    return { port, restart, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
}

function printed(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const hear = (chunk: unknown): void => {
      text = `${text}${String(chunk)}`.slice(-10_000);
      if (text.includes(words)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`it ended: ${text}`)));
  });
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user that Debian's package makes, where we are root: PostgreSQL does not run as such. */
function unprivileged(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Programs that do the same where one is not there: some distributions have Valkey in the place of Redis. */
const alike: Readonly<Record<string, string>> = { 'redis-server': 'valkey-server' };

function pathOf(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...globSync('/usr/lib/postgresql/*/bin')];
  const found = folders.map((folder) => join(folder, program)).find(isProgram);
  const other = alike[program];
  return found ?? (other === undefined ? undefined : pathOf(other));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A port that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return address.port;
}
