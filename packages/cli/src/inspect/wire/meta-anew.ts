import { metaKey } from '../../../../parley/src/protocol/meta-key.ts';

/** Keys of `_meta` that a client sets in each request, overriding typed ones. */
export const metaAnew: readonly string[] = [
  'progressToken',
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
];
