/** Token of this run: it comes in the fragment, which no server sees, and is taken out of the address at once. */

const key = 'parley-token';

/** Takes the token from the address, or what this tab kept of it. */
export function takeToken(): string {
  const given = location.hash.slice(1);
  if (/^[\w-]{20,}$/.test(given)) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, '', location.pathname + location.search);
    return given;
  }
  return sessionStorage.getItem(key) ?? '';
}
