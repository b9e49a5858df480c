/** Rules about a page that a client is asked to show, and says no to. */

import { unlessKept, type ClientRule } from '../client-rule.ts';
import type { RefusedPage } from '../client-session.ts';

/** A rule about when it was opened. */
function closed(
  id: string,
  [words, fix, why]: readonly [words: string, fix: string, why: string],
  isWrong: (at: number, refused: RefusedPage) => boolean,
): ClientRule {
  return {
    id,
    message: words,
    fix,
    atEnd({ refusedPages }, { pages }) {
      if (refusedPages.length === 0) return 'not-seen';
      const isBroken = refusedPages.some((one) => pages.some(({ path, at }) => path === one.path && isWrong(at, one)));
      return unlessKept(!isBroken, why);
    },
  };
}

const notBefore = closed(
  'elicit-052',
  [
    'The page of an elicitation is not fetched before the user agrees',
    'open the URL of a question in the browser of the person who agreed, and fetch nothing of it before',
    'its page was fetched while it was asked, and it said no',
  ],
  (at, { asked, refused }) => at >= asked && at <= refused,
);

const notAfter = closed(
  'elicit-053',
  [
    'The page of an elicitation is not opened without consent',
    'open the URL of a question when its person has agreed, and only then',
    'it said no, and its page was opened after that',
  ],
  (at, { refused }) => at > refused,
);

/** Rules about pages. */
export const pageRules: readonly ClientRule[] = [notBefore, notAfter];
