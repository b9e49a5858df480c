/** A certificate for this machine that nobody vouches for. */

import { execFileSync } from 'node:child_process';

const words =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout - -out -';

/** Makes a key and its certificate, as one PEM text; `undefined` where there is no openssl. */
export function certificate(): string | undefined {
  try {
    return execFileSync('openssl', words.split(' '), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
