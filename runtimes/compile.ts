import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned } from './pinned.ts';
import type { StepResult } from './result.ts';
import type { Setting } from './setting.ts';

/** The compilers, by their version as people call it. */
export const compilers: readonly { readonly name: string; readonly version: string }[] = Object.entries(pinned)
  .filter(([name]) => name.startsWith('typescript-'))
  .map(([name, version]) => ({ name: name.slice('typescript-'.length), version: version.replace(/^.*@/, '') }));

const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const;

/** Type-checks a program that uses the package, with declarations of packages checked too. */
export async function checkTypes(setting: Setting, compiler: string): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for (const [way, resolution] of Object.entries(resolutions)) {
    const project = join(setting.folder, `tsconfig.${compiler}.${way}.json`);
    const compilerOptions = {
      ...resolution,
      // The newest that the oldest compiler knows.
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ['types/program.ts'] }));
    const said = await compile(setting, compiler, project);
    results.push({ way, revision: 'every revision', step: 'type-check', ...(said === '' ? {} : { error: said }) });
  }
  return results;
}

async function compile({ folder }: Setting, compiler: string, project: string): Promise<string> {
  const home = join(folder, '..', 'node_modules', `typescript-${compiler}`);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly bin: { readonly tsc: string };
  };
  const child = spawn(process.execPath, [join(home, bin.tsc), '-p', project], { cwd: folder });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return '';
  return said.trim().split('\n').slice(0, 5).join(' ').slice(0, 500) || `it ended with ${code}`;
}
