/** Rules about the roots of clients. */

import { isObject, isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import type { ClientRule } from '../client-rule.ts';
import { saidText, type ClientSession } from '../client-session.ts';

const changesTold: ClientRule = {
  id: 'roots-003',
  message: 'A client with roots.listChanged sends a notification when its roots change',
  fix: 'send notifications/roots/list_changed whenever roots are added or taken away, or do not declare listChanged',
  atEnd({ roots: { isSilent, isTold, wasTold }, capabilities: { roots } }) {
    if (!isObject(roots) || roots['listChanged'] !== true) return 'not-seen';
    // A notification may have been under way when roots were requested.
    if (isSilent && !isTold) return { breaks: 'roots/list was answered by others than before, and no word came' };
    return wasTold || isSilent ? 'holds' : 'not-seen';
  },
};

/** Records the roots of an answer, and whether a change was notified before. @param key Text of the id of an answer. */
export function noteRoots(
  message: Readonly<Record<string, unknown>>,
  { put, roots }: ClientSession,
  key: string,
): void {
  if (message['method'] === 'notifications/roots/list_changed') {
    roots.isTold = true;
    // Answers to these questions may hold the earlier roots.
    roots.underWay = new Set(put.keys());
    return;
  }
  const question = isResponse(message) ? put.get(key) : undefined;
  const given = isObject(message['result']) ? message['result']['roots'] : undefined;
  if (question?.method !== 'roots/list' || question.probe !== undefined || !Array.isArray(given)) return;
  const uris = given.map((root: unknown) => (isObject(root) ? saidText(root['uri']) : '')).toSorted();
  const text = saidText(uris);
  if (roots.text !== undefined && roots.text !== text) {
    if (roots.isTold) roots.wasTold = true;
    else roots.isSilent = true;
  }
  // Once it missed a notification, that stays a fault until one comes.
  if (!roots.isSilent && !roots.underWay.has(key)) roots.isTold = false;
  roots.text = text;
}

/** Rules about roots. */
export const rootRules: readonly ClientRule[] = [changesTold];
