/** Types, lint and format, each by its tool, as rules. */

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../test/support/sources.ts';
import type { Finding, Rule } from './rule.ts';

/** A rule that a tool finds the faults of. */
export interface Tool extends Omit<Rule, 'find'> {
  readonly find: () => Promise<readonly Finding[]>;
}

/** What a tool printed, and how it ended. */
export interface Outcome {
  readonly code: number | null;
  readonly printed: string;
}

/** Runs a program of `node_modules` with the Node of this process. */
export async function runTool(script: string, words: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, printed: out + error };
}

/** Compiler results of the last run: a change is checked in a third of the time. */
const cache = join(root, 'node_modules/.cache/types');

export function types(project: string, about: string): Tool {
  return {
    demand: `${about} has the types of ${project}`,
    async find() {
      mkdirSync(cache, { recursive: true });
      const info = join(cache, `${project.replaceAll(/[^\w.]/g, '-')}.tsbuildinfo`);
      // More threads take more time of the processor; oxlint runs beside it.
      const words = [
        '-p',
        project,
        '--pretty',
        'false',
        '--singleThreaded',
        '--incremental',
        '--tsBuildInfoFile',
        info,
      ];
      const { code, printed } = await runTool('typescript/bin/tsc', words);
      const found = findingsIn(printed, /^(.+?)\((\d+),\d+\): (.*(?:\n .*)*)/gm);
      return orAll({ code, printed }, found, 'tsc');
    },
  };
}

export const lint: Tool = {
  demand: 'oxlint finds nothing, with rules that know types',
  async find() {
    const outcome = await runTool('oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', '--format', 'unix']);
    return orAll(outcome, findingsIn(outcome.printed, /^(.+?):(\d+):\d+: (.*)/gm), 'oxlint');
  },
};

export const format: Tool = {
  demand: 'oxfmt has nothing to change',
  async find() {
    const outcome = await runTool('oxfmt/bin/oxfmt', ['--check']);
    const found = [...outcome.printed.matchAll(/^(\S+\.\w+) \(\d+\w+\)$/gm)].map(([, file = '']) => ({
      file,
      text: 'is not formatted; run `npm run format`',
    }));
    return orAll(outcome, found, 'oxfmt');
  },
};

function findingsIn(printed: string, pattern: RegExp): readonly Finding[] {
  return [...printed.matchAll(pattern)].map(([, file = '', line, text = '']) => ({ file, line: Number(line), text }));
}

/** What was found; all that a tool printed when it failed in words that are not understood. */
function orAll({ code, printed }: Outcome, found: readonly Finding[], tool: string): readonly Finding[] {
  if (code === 0 || found.length > 0) return found;
  return [{ file: tool, text: `ended with ${code}: ${printed.trim()}` }];
}
