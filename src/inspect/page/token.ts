/** Token of this run: it comes in the fragment, which no server sees, and is taken out of the address at once. */

const key = 'parley-token';

/** Takes the token from the address, or what this tab kept of it. A code in the place of it, which is good once, is changed for one. */
export async function takeToken(): Promise<string> {
  const given = location.hash.slice(1);
  const [, code] = /^once\.([\w-]{20,})$/.exec(given) ?? [];
  const isToken = /^[\w-]{20,}$/.test(given);
  if (code !== undefined || isToken) history.replaceState(null, '', location.pathname + location.search);
  const token = isToken ? given : code === undefined ? '' : await entered(code);
  if (token !== '') sessionStorage.setItem(key, token);
  return sessionStorage.getItem(key) ?? '';
}

/** Changes a code for a token; empty where it is used up, or nobody answers: the page says so when it asks for more. */
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
