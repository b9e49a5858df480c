import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { maySend } from '../../../../../parley/src/protocol/method.ts';
import type { WatchRule } from '../../rule.ts';

/** Rules that a server says what the revision has that was agreed on. */

const agreed: WatchRule = {
  id: 'lifecycle-008',
  message: 'A server sends only messages of the negotiated revision',
  fix: 'look at the protocolVersion that was agreed on before you send what another revision has',
  watch({ message: { method }, sent, revision }) {
    // Before the answer to initialize nothing is agreed on.
    if (typeof method !== 'string' || sent?.['method'] === 'initialize') return 'not-seen';
    const row = methodOf(method);
    // What no revision has is an extension's, or the server's own.
    if (row === undefined) return 'not-seen';
    return maySend('server', row, revision) ? 'holds' : { breaks: `${revision.date} has no ${method} of servers` };
  },
};

/** Rules about what was agreed on, by the row of a time. */
export const agreedRules: readonly WatchRule[] = [agreed, { ...agreed, id: 'lifecycle-007' }];
