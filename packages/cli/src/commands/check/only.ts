/** Rows that `--only` names. */

import { refuseUnknownRows } from '../../check/chosen.ts';
import type { Stated } from '../../check/rule.ts';
import { UsageError } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import { reasonOf } from '../shown.ts';

/** @throws UsageError for unknown rows and areas. @param hint Another possible meaning. */
export function refuseOnly(parsed: ParsedOptions, rules: readonly Pick<Stated, 'id'>[], hint = ''): void {
  try {
    refuseUnknownRows(parsed.texts('only'), rules);
  } catch (cause) {
    throw new UsageError(`--only: ${reasonOf(cause)}${hint}`, { cause });
  }
}
