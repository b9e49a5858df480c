import type { HttpOptions } from '../../http/server/exchanges/options.ts';

/** The name by which a client on this machine reaches an address. An address of all interfaces cannot be called. */
export function reachableName(host: string): string {
  const name = inUrl(host);
  if (name === '0.0.0.0') return '127.0.0.1';
  return name === '[::]' || name === '' ? '[::1]' : name;
}

/** A server that is bound to one address may be called by it. */
export function boundHost(host: string, { allowedHosts = [] }: HttpOptions): Pick<HttpOptions, 'allowedHosts'> {
  return { allowedHosts: typeof allowedHosts === 'string' ? allowedHosts : [...allowedHosts, reachableName(host)] };
}

/** A host as URLs write it, which is also the client's `Host` header. */
function inUrl(host: string): string {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  return URL.canParse(`http://${bracketed}`) ? new URL(`http://${bracketed}`).hostname : bracketed;
}
