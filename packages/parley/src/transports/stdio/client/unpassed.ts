/** Variables that a program lacks, since they are not passed on to it by themselves. */

import { childEnvironment, type Environment, type EnvironmentOptions } from './environment.ts';

/** Names of variables that a text mentions and that a child process did not get, though this process has them. */
export function unpassedIn(text: string, given: Environment = {}, options: EnvironmentOptions = {}): readonly string[] {
  const { source = process.env } = options;
  const passed = childEnvironment(given, options);
  const words = new Set(text.match(/\w+/g));
  return Object.keys(source).filter((name) => words.has(name) && !Object.hasOwn(passed, name) && /[A-Z]/.test(name));
}

/**
 * Names the variables that a dead program mentions and did not get, and how to pass them on; empty if there are none.
 */
export function unpassedWords(text: string, given: Environment | undefined, pass: PassOn = byOption): string {
  const names = unpassedIn(text, given);
  return names.length === 0 ? '' : `${names.join(', ')} of yours was not passed on: ${pass(names)} does`;
}

/** Text of a command line or a file that passes variables on. */
export type PassOn = (names: readonly string[]) => string;

const byOption: PassOn = (names) => names.map((name) => `--env ${name}`).join(' ');
