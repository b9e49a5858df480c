/** Servers in other languages, built on first need into the folder that holds the peers of npm too. */
import { join } from 'node:path';
import { userCache } from '../../scripts/made-folder.ts';
import { buildGo } from '../../scripts/toolchains/go.ts';
import type { Built, Program } from '../../scripts/toolchains/program.ts';
import { buildRust } from '../../scripts/toolchains/rust.ts';

/** A server in another language. */
export interface Language {
  readonly name: string;
  /**
   * Builds it, once for what its folder in `bench/languages` says; a run that failed does not try again.
   *
   * @throws Unavailable without its toolchain or a network, or when it does not compile.
   */
  readonly build: () => Promise<Built>;
}

export const rust: Language = {
  name: 'official Rust',
  build: once(() => buildRust(programOf('rust'), 'rmcp', 'release')),
};

export const go: Language = {
  name: 'official Go',
  build: once(() => buildGo(programOf('go'), 'github.com/modelcontextprotocol/go-sdk')),
};

function programOf(name: string): Program {
  return { name, sources: join(import.meta.dirname, '../languages', name), cache: userCache('parley-bench') };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
