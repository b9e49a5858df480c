import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Harness } from '../../harness/harness.ts';

/** The `_meta` of a right request, with changes. */
export function ownMeta(
  harness: Harness,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const right = {
    [metaKey.protocolVersion]: harness.revision.date,
    [metaKey.clientInfo]: { name: 'parley-check', version: '1' },
    [metaKey.clientCapabilities]: {},
    ...changes,
  };
  return Object.fromEntries(Object.entries(right).filter(([, value]) => value !== undefined));
}
