/** Arguments that were typed, so that nothing is lost when another tool is chosen or the page is loaded again. */

import { useState } from 'preact/hooks';

/** Limits: texts that are kept, and the length of one of them that outlives a reload. */
const most = { texts: 200, length: 50_000 };

const storedAs = 'parley-drafts';

/** Texts by server and tool. */
const drafts: Map<string, string> = new Map(stored());

function stored(): readonly (readonly [string, string])[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(storedAs) ?? '{}');
    return Object.entries(typeof found === 'object' && found !== null ? found : {}).filter(
      (one): one is [string, string] => typeof one[1] === 'string',
    );
  } catch {
    return [];
  }
}

/** Keeps a text; `undefined` forgets it. */
export function keepDraft(key: string, text: string | undefined): void {
  drafts.delete(key);
  if (text !== undefined) drafts.set(key, text);
  const [oldest] = drafts.keys();
  if (drafts.size > most.texts && oldest !== undefined) drafts.delete(oldest);
  const short = [...drafts].filter(([, one]) => one.length <= most.length);
  try {
    sessionStorage.setItem(storedAs, JSON.stringify(Object.fromEntries(short)));
  } catch {
    // The browser has no more room: what was typed is kept for as long as the page is open.
  }
}

/** A text that is typed, and kept under a key. @param first The text in which nothing was typed. */
export function useDraft(key: string, first = ''): readonly [text: string, type: (text: string | undefined) => void] {
  const [text, setText] = useState(drafts.get(key) ?? first);
  return [
    text,
    (next) => {
      keepDraft(key, next);
      setText(next ?? first);
    },
  ];
}
