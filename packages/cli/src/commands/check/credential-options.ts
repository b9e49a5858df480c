import type { ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from '../io.ts';
import { givenOption } from '../login/sign-in-options.ts';
import type { ParsedOptions } from '../options.ts';

/** Options with the credentials of the user, and of another user, at a server. */
export const credentialOptions: ParseArgsOptionsConfig = {
  'token-env': { type: 'string' },
  'token-file': { type: 'string' },
  account: { type: 'string' },
  'other-token-env': { type: 'string' },
  'foreign-token-env': { type: 'string' },
};

/** @throws UsageError where one of them is given, which means nothing there. */
export function refuseCredentials(parsed: ParsedOptions, why: string): void {
  const given = givenOption(parsed, Object.keys(credentialOptions));
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
}
