import { isResponse } from '../../../../../parley/src/jsonrpc/message.ts';
import type { WatchRule } from '../../rule.ts';

/** Rules about the number of answers. */

const answeredOnce: WatchRule = {
  id: 'harden-second-answer',
  message: 'A request is answered once',
  fix: 'send one response to each request',
  watch({ message, isAgain }) {
    if (isAgain === undefined || !isResponse(message)) return 'not-seen';
    return isAgain ? { breaks: `there is a second answer to the id ${JSON.stringify(message['id'])}` } : 'holds';
  },
};

/** Rules about answers. */
export const onceRules: readonly WatchRule[] = [answeredOnce];
