/** What the runs take of an engine. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TaskExecutor, TaskTurn } from 'parley-mcp/server';
import { cacheFolder } from '../scripts/package-cache.ts';

/** An engine of which a process is one worker. */
export interface OpenEngine {
  readonly executor: TaskExecutor;
  /** Begins to work; the tools are registered by then. */
  launch(): Promise<void>;
}

/** Where an engine is. */
export interface EnginePlace {
  /** The port of the store on loopback. */
  readonly port: number;
  /** What the server of its own said of where it is; empty where it has none. */
  readonly server: string;
}

/** A server that an engine needs beside the store. */
export interface EngineServer {
  readonly where: string;
  stop(): Promise<void>;
}

/** What a run takes of an engine. */
export interface EngineKind {
  readonly title: string;
  /** Store of the tasks, as `openStore` names it. An engine without a server keeps its own there too. */
  readonly store: 'PostgreSQL' | 'Redis';
  readonly packages: Readonly<Record<string, string>>;
  readonly serve?: () => Promise<EngineServer>;
  open(place: EnginePlace, run: (id: string) => Promise<TaskTurn>): Promise<OpenEngine>;
}

/** The folder of packages that an engine needs. */
export function folderOf(packages: EngineKind['packages']): string {
  return cacheFolder('parley-executors', packages);
}

/** A module of those packages; the caller says what it is. */
export async function loaded<Module>(packages: EngineKind['packages'], name: string): Promise<Module> {
  const { load } = (await import(pathToFileURL(join(folderOf(packages), 'load.js')).href)) as {
    load(name: string): Promise<Module>;
  };
  return await load(name);
}
