import type { NotificationSender } from '../../host/host.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import { wordsOf } from '../failure.ts';
import { revisionFor } from '../forward.ts';
import type { Pool } from '../upstream/pool.ts';
import { progressFor } from './question-progress.ts';

/** A notification of a client, as it came. */
interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Tells the upstream what a client told the bridge. Of the protocol's own notifications only the connection of the
 * client's session may carry them, where the revision of the upstream has them: one without sessions asks afresh each
 * time and need not be told that roots changed.
 */
export async function tellUpstream(
  { method, params }: Notice,
  from: NotificationSender,
  { pool, onWarning }: { readonly pool: Pool; readonly onWarning: (message: string) => void },
): Promise<void> {
  try {
    const row = methodOf(method);
    if (row !== undefined) {
      const client = from.session === undefined ? undefined : pool.ownOf(from.session)?.latest;
      if (client === undefined || !maySend('client', row, revisionFor(client))) return;
    }
    const isProgress = method === 'notifications/progress' && from.session !== undefined;
    const own = isProgress ? progressFor(from.session, params, pool) : params;
    if (own !== undefined) await pool.notify(method, own, from);
  } catch (error) {
    onWarning(`${JSON.stringify(method.slice(0, 100))} did not reach the upstream: ${wordsOf(error)}`);
  }
}
