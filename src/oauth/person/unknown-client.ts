/** Words before the client that say that it is not known. */
const before = /invalid_client|unauthorized_client|(?:unknown|invalid|unregistered|no such) client/;

/** Words after it that do, in the same sentence. */
const after: readonly string[] = ['not found', 'unknown', 'invalid', 'not registered', 'does not exist'];

/** Characters after the word in which those are looked for. */
const reach = 64;

/**
 * Tells whether the page of an authorization server says, in English, that it does not know a client. Its work is linear in the
 * length of the text, which is the server's.
 */
export function saysUnknownClient(page: string): boolean {
  const text = page.toLowerCase();
  if (before.test(text)) return true;
  for (let at = text.indexOf('client'); at !== -1; at = text.indexOf('client', at + 1)) {
    const [sentence = ''] = text.slice(at, at + reach).split(/[.<]/, 1);
    if (after.some((words) => sentence.includes(words))) return true;
  }
  return false;
}
