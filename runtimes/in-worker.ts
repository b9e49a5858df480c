import { join } from 'node:path';
import { build } from 'esbuild';
import { loadPeer } from './load-peer.ts';
import { versionOfPackage } from './package-version.ts';
import type { StepResult } from './result.ts';
import type { Setting } from './setting.ts';

/** The part of miniflare that is used. */
interface Miniflare {
  readonly ready: Promise<URL>;
  dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>;
  dispose(): Promise<void>;
}

/** In workerd: what runs within the worker, and a client outside of it. */
export async function runInWorker(
  setting: Setting,
): Promise<{ readonly version: string; readonly results: readonly StepResult[] }> {
  const { Miniflare } = await loadPeer<
    { new (options: object): Miniflare } & { Miniflare: new (options: object) => Miniflare }
  >(setting, 'miniflare');
  const script = await bundled(setting, 'worker.js', 'neutral');
  const worker = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: script }],
    compatibilityDate: '2026-07-01',
    host: '127.0.0.1',
    port: 0,
  });
  try {
    const url = await worker.ready;
    // The worker answers with what `exerciseWithin` gave.
    const within = (await (await worker.dispatchFetch(new URL('/exercise', url).href)).json()) as readonly StepResult[];
    const { exerciseUrl } = (await import(join(setting.folder, 'programs', 'exercise.js'))) as {
      exerciseUrl(way: string, url: string): Promise<readonly StepResult[]>;
    };
    const outside = await exerciseUrl('fetch handler of a worker', new URL('/mcp', url).href);
    return { version: versionOfPackage(setting, 'workerd'), results: [...within, ...outside] };
  } finally {
    await worker.dispose();
  }
}

/** A program in one file, as bundlers make it by default. */
export async function bundled(setting: Setting, program: string, platform: 'neutral' | 'browser'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(setting.folder, 'programs', program)],
    bundle: true,
    format: platform === 'browser' ? 'iife' : 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
