/** The tarballs are in order, by published tools that check packages. */

import { packageNames, packageTarball } from '../../package-once.ts';
import type { Finding } from '../rule.ts';
import { runTool, type Outcome, type Tool } from '../tools.ts';

export const publintRule: Tool = {
  demand: 'publint finds nothing in the tarballs',
  async find() {
    const outcomes = packageNames.map((name) =>
      runTool('publint/src/cli.js', ['run', packageTarball(name), '--strict']),
    );
    return (await Promise.all(outcomes)).flatMap(unlessFine);
  },
};

export const attwRule: Tool = {
  demand: 'the types of every export are found by every way to resolve them',
  async find() {
    const words = [packageTarball(), '--profile', 'esm-only', '--no-color', '--no-emoji'];
    return unlessFine(await runTool('@arethetypeswrong/cli/dist/index.js', words));
  },
};

/** All that the tool printed, when it found something. */
export function unlessFine({ code, printed }: Outcome): readonly Finding[] {
  return code === 0 ? [] : [{ file: 'package.json', text: `publishes something wrong:\n${printed.trim()}` }];
}
