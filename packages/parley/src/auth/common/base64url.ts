/** Bytes and JSON as they stand in tokens. (RFC 4648, section 5; RFC 7515, section 2.) */

import type { OwnBytes } from '../../sealing/sealing-key.ts';

export function utf8(text: string): OwnBytes {
  return new TextEncoder().encode(text);
}

export function base64urlOf(bytes: Uint8Array | ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A value as one part of a token. */
export function jsonPart(value: unknown): string {
  return base64urlOf(utf8(JSON.stringify(value)));
}

/** The unverified claims of a token; `undefined` if it is not a JWT. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const part = token.split('.', 2)[1];
  if (part === undefined) return undefined;
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const value: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    // An object without a prototype of ours is read by its own names.
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** A text that cannot be guessed: 256 bits. */
export function unguessableText(): string {
  return base64urlOf(crypto.getRandomValues(new Uint8Array(32)));
}
