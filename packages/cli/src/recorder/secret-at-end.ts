import { shortestHidden, spellingsOf } from '../../../parley/src/auth/common/secrets.ts';

/**
 * Makes a function that says how many characters at the end of a text may be the beginning of a secret, in any of its
 * spellingsOf: what follows them decides.
 */
export function secretsAtEnd(secrets: readonly string[]): (text: string) => number {
  const known = [...new Set(secrets.filter((value) => value.length >= shortestHidden).flatMap(spellingsOf))];
  const begunIn = (text: string, secret: string): number => {
    const [first = ''] = secret;
    let start = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
    while (start !== -1 && !secret.startsWith(text.slice(start))) start = text.indexOf(first, start + 1);
    return start === -1 ? 0 : text.length - start;
  };
  return (text) => known.reduce((longest, secret) => Math.max(longest, begunIn(text, secret)), 0);
}
