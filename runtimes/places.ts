import { join } from 'node:path';
import { versionOfPackage } from './package-version.ts';
import type { nodeVersions } from './pinned.ts';
import type { StepResult } from './result.ts';
import { runInPage } from './in-page.ts';
import { runInWorker } from './in-worker.ts';
import { runProgram, runtimeFolder, versionOf, type Setting } from './setting.ts';
import { checkTypes, compilers } from './compile.ts';

/** Somewhere the package is used. */
export interface Place {
  readonly name: string;
  /** @throws Error when it is not to be had here. */
  run(setting: Setting): Promise<{ readonly version: string; readonly results: readonly StepResult[] }>;
}

export const places: readonly Place[] = [
  ...(['20', '22', '24'] as const).map(onNode),
  { name: 'Bun', run: (setting) => onBun(setting) },
  { name: 'Deno', run: (setting) => onDeno(setting) },
  { name: 'workerd (miniflare)', run: runInWorker },
  { name: 'Chromium', run: runInPage },
  behind('Hono', 'hono'),
  behind('Express', 'express'),
  behind('Fastify', 'fastify'),
  { name: 'route handlers as in Next.js', run: (setting) => onThisNode(setting, 'next') },
  ...compilers.map(({ name, version }) => ({
    name: `types, TypeScript ${name}`,
    run: async (setting: Setting) => ({ version, results: await checkTypes(setting, name) }),
  })),
];

function onNode(major: keyof typeof nodeVersions): Place {
  return {
    name: `Node ${major}`,
    run: async (setting) => {
      const node = join(await runtimeFolder(`node-${major}`), 'bin', 'node');
      return { version: versionOf(node, '--version'), results: await runProgram(setting, node, ['programs/node.js']) };
    },
  };
}

async function onBun(setting: Setting): ReturnType<Place['run']> {
  const bun = join(await runtimeFolder('bun'), 'bin', 'bun');
  const own = await runProgram(setting, bun, ['programs/bun.js']);
  return {
    version: versionOf(bun, '--version'),
    results: [...own, ...(await runProgram(setting, bun, ['programs/node.js']))],
  };
}

async function onDeno(setting: Setting): ReturnType<Place['run']> {
  const deno = join(await runtimeFolder('deno'), 'deno');
  const allowed = ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual'];
  const own = await runProgram(setting, deno, [...allowed, 'programs/deno.js']);
  const asNode = await runProgram(setting, deno, [...allowed, 'programs/node.js']);
  return { version: versionOf(deno, '--version'), results: [...own, ...asNode] };
}

function behind(name: string, framework: string): Place {
  return {
    name,
    run: async (setting) => ({
      ...(await onThisNode(setting, framework)),
      version: versionOfPackage(setting, framework),
    }),
  };
}

async function onThisNode(setting: Setting, program: string): ReturnType<Place['run']> {
  const results = await runProgram(setting, process.execPath, [`programs/${program}.js`]);
  return { version: `on Node ${process.versions.node}`, results };
}
