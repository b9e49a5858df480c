/** Headers in which proxies name the sender of a request: `X-Forwarded-For`, and `Forwarded` of RFC 7239. */

import { isIP, SocketAddress } from 'node:net';

/** Headers that are understood, by their names in lower case. */
export const forwardingHeaders = ['x-forwarded-for', 'forwarded'] as const;

export type ForwardingHeader = (typeof forwardingHeaders)[number];

/** Length above which a line is ignored, in characters. */
const maxLineLength = 4096;

/** Length of the longest entry that can be an address with a port. */
const maxEntryLength = 64;

/**
 * Yields the addresses of a header, from the last, which the nearest proxy wrote, to the first. `undefined` stands for
 * an entry without an address: an obfuscated name, `unknown`, other text.
 *
 * @param lines The lines of the header, in their original order. An error in one does not affect later ones.
 */
export function* hopsOf(header: ForwardingHeader, lines: readonly string[]): Generator<string | undefined> {
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (header === 'x-forwarded-for') yield* entriesOf(line);
    else yield* elementsOf(line);
  }
}

/**
 * The canonical form of an address, for comparing and counting. An IPv4 address that is mapped into IPv6 becomes IPv4.
 *
 * @returns `undefined` for invalid text, and for an address with a zone, which has a meaning on one machine only.
 */
export function canonicalAddress(text: string): string | undefined {
  const family = isIP(text);
  if (family === 4) return text;
  if (family === 0 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** It is read from its end, and only on demand: the part from an untrusted client may be long. */
function* entriesOf(line: string): Generator<string | undefined> {
  for (let end = line.length; end >= 0;) {
    const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
    const entry = end - comma > maxLineLength ? '?' : line.slice(comma + 1, end).trim();
    if (entry !== '') yield canonicalAddress(entry) ?? addressOfNode(entry);
    end = comma;
  }
}

/**
 * A pair of RFC 7239 with what ends it; the pair may be missing, as elements of a list may. Spaces follow a pair alone: two runs of them
 * side by side would be tried in every split.
 */
const pair =
  /[\t ]*(?:([!#$%&'*+\-.^_`|~\dA-Za-z]+)=([!#$%&'*+\-.^_`|~\dA-Za-z]+|"(?:[^"\\]|\\.)*")[\t ]*)?(?:([;,])|$)/y;

/**
 * A line must be read from its beginning, since commas may be quoted. An invalid line names no address: an open quote
 * of an untrusted client would hide what the proxy wrote after it.
 */
function elementsOf(line: string): readonly (string | undefined)[] {
  if (line.length > maxLineLength) return [undefined];
  const hops: (string | undefined)[] = [];
  let named: string[] = [];
  let isEmpty = true;
  for (let at = 0, ended = false; !ended;) {
    pair.lastIndex = at;
    const found = pair.exec(line);
    if (found === null) return [undefined];
    at = pair.lastIndex;
    const [, name, value, end] = found;
    if (name !== undefined && value !== undefined) {
      isEmpty = false;
      if (name.toLowerCase() === 'for') named.push(unquoted(value));
    }
    ended = end === undefined;
    if (end === ';') continue;
    // A parameter may come once: of two, either may be a stranger's.
    if (!isEmpty) hops.unshift(named.length === 1 ? addressOfNode(named[0] ?? '') : undefined);
    [named, isEmpty] = [[], true];
  }
  return hops;
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}

/** RFC 7239, 6: an address of IPv6 stands in brackets; the port is a number, or a name that hides it. */
const node = /^(?:\[([^\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/;

function addressOfNode(text: string): string | undefined {
  if (text.length > maxEntryLength) return undefined;
  const [, six, four] = node.exec(text) ?? [];
  const address = six ?? four;
  return address === undefined || isIP(address) !== (six === undefined ? 4 : 6) ? undefined : canonicalAddress(address);
}
