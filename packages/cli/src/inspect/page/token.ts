/** Token of this run: it comes in the fragment, which no server sees, and is taken out of the address at once. */

const key = 'parley-token';

const tokenLike = /^[\w-]{20,}$/;
const codeLike = /^once\.([\w-]{20,})$/;

/** Takes the token from the address or from this tab's storage. A single-use code is exchanged for a token. */
export async function takeToken(): Promise<string> {
  const given = location.hash.slice(1);
  const [, code] = codeLike.exec(given) ?? [];
  const isToken = tokenLike.test(given);
  if (code !== undefined || isToken) history.replaceState(null, '', location.pathname + location.search);
  const token = isToken ? given : code === undefined ? '' : await entered(code);
  if (token !== '') sessionStorage.setItem(key, token);
  return sessionStorage.getItem(key) ?? '';
}

/**
 * Exchanges a code for a token; empty if it is used up, or the process does not answer. The page then shows the error
 * of its next request.
 */
async function entered(code: string): Promise<string> {
  const headers = { authorization: `Bearer ${code}`, 'content-type': 'application/json' };
  try {
    const response = await fetch('/api/enter', { method: 'POST', headers, body: '{}' });
    const told: unknown = await response.json();
    return typeof told === 'object' && told !== null && 'token' in told ? String(told.token) : '';
  } catch {
    return '';
  }
}

/**
 * Reloads the page if it gets another token: an address that differs only by its fragment does not reload by itself.
 */
export function listenToTokens(): void {
  addEventListener('hashchange', () => {
    const given = location.hash.slice(1);
    if (tokenLike.test(given) || codeLike.test(given)) location.reload();
  });
}

/**
 * Tells whether a text is a token of this run. A tab that came by a code has a token of its own, and may be given the one that was
 * printed; the process knows both, and says so by a verb that does nothing.
 */
export async function isTokenOfRun(text: string): Promise<boolean> {
  if (!tokenLike.test(text)) return false;
  const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
  try {
    return (await fetch('/api/search', { method: 'POST', headers, body: '{"text":""}' })).ok;
  } catch {
    return false;
  }
}
