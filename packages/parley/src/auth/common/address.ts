/** Addresses of machines: those that a URL of a stranger may not lead to, inside this machine and inside its networks, and those that are one. */

/** The bytes of an address that a URL or a resolver spells; `undefined` for a name. */
export function addressBytes(text: string): readonly number[] | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return bare.includes(':') ? bytesOfIPv6(bare) : bytesOfIPv4(bare);
}

/**
 * The kind of the range in which an address lies and which is not the open Internet; `undefined` for addresses of the open
 * Internet. (IANA special-purpose address registries; RFC 6890.)
 */
export function innerRange(bytes: readonly number[]): string | undefined {
  const ranges = bytes.length === 4 ? rangesOfIPv4 : rangesOfIPv6;
  const found = ranges.find(([, prefix, bits]) => startsWith(bytes, prefix, bits))?.[0];
  if (found !== undefined || bytes.length === 4) return found;
  const inner = embeddedIPv4(bytes);
  return inner === undefined ? undefined : innerRange(inner);
}

/**
 * The network that counts as one address. For IPv6 it is the first half, since one subscriber has all addresses that
 * begin so; or the embedded IPv4 address, since all IPv4 clients may come through one gateway. Any other text is
 * returned unchanged.
 */
export function networkOf(address: string): string {
  const bytes = address.includes(':') ? addressBytes(address) : undefined;
  return bytes === undefined ? address : (embeddedIPv4(bytes) ?? bytes.slice(0, 8)).join('.');
}

type Range = readonly [kind: string, prefix: readonly number[], bits: number];

const rangesOfIPv4: readonly Range[] = [
  ['an unspecified address', [0], 8],
  ['a private address', [10], 8],
  ['a shared address', [100, 64], 10],
  ['a loopback address', [127], 8],
  ['a link-local address', [169, 254], 16],
  ['a private address', [172, 16], 12],
  ['a reserved address', [192, 0, 0], 24],
  ['a reserved address', [192, 0, 2], 24],
  ['a reserved address', [192, 88, 99], 24],
  ['a private address', [192, 168], 16],
  ['a reserved address', [198, 18], 15],
  ['a reserved address', [198, 51, 100], 24],
  ['a reserved address', [203, 0, 113], 24],
  ['a multicast address', [224], 4],
  ['a reserved address', [240], 4],
];

// Written out, without the zeros at an end: what must be called to be there is in every bundle that might use it.
const rangesOfIPv6: readonly Range[] = [
  ['an unspecified address', [], 128],
  ['a loopback address', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128],
  ['a reserved address', [0x01], 64],
  ['a reserved address', [0x20, 0x01, 0x0d, 0xb8], 32],
  ['a reserved address', [0x20, 0x01, 0x00, 0x20], 28],
  ['a reserved address', [0x3f, 0xff, 0x00], 20],
  ['a reserved address', [0x5f, 0x00], 16],
  ['a private address', [0xfc], 7],
  ['a link-local address', [0xfe, 0x80], 10],
  ['a private address', [0xfe, 0xc0], 10],
  ['a multicast address', [0xff], 8],
];

/**
 * The prefixes of addresses with an embedded IPv4 address, and its position: mapped, compatible, translated (RFC 6052,
 * 8215), 6to4, Teredo.
 */
const embedded: readonly (readonly [prefix: readonly number[], bits: number, at: number, turned: boolean])[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, 12, false],
  [[], 96, 12, false],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96, 12, false],
  [[0x00, 0x64, 0xff, 0x9b], 96, 12, false],
  [[0x00, 0x64, 0xff, 0x9b, 0x00, 0x01], 48, 12, false],
  [[0x20, 0x02], 16, 2, false],
  [[0x20, 0x01, 0x00, 0x00], 32, 12, true],
];

function embeddedIPv4(bytes: readonly number[]): readonly number[] | undefined {
  const found = embedded.find(([prefix, bits]) => startsWith(bytes, prefix, bits));
  if (found === undefined) return undefined;
  const [, , at, turned] = found;
  return bytes.slice(at, at + 4).map((byte) => (turned ? 255 - byte : byte));
}

function startsWith(bytes: readonly number[], prefix: readonly number[], bits: number): boolean {
  for (let at = 0, left = bits; left > 0; at++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    if (((bytes[at] ?? 0) & mask) !== ((prefix[at] ?? 0) & mask)) return false;
  }
  return true;
}

/** URL parsers have turned odd spellings into this one already. */
function bytesOfIPv4(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function bytesOfIPv6(text: string): readonly number[] | undefined {
  // A zone names an interface, not a network.
  const [address = ''] = text.split('%', 1);
  const halves = address.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(bytesOfGroups);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
}

function bytesOfGroups(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  for (const group of text.split(':')) {
    const last = group.includes('.') ? bytesOfIPv4(group) : undefined;
    if (last === undefined && !/^[\da-f]{1,4}$/i.test(group)) return undefined;
    const value = Number.parseInt(group, 16);
    bytes.push(...(last ?? [value >> 8, value & 0xff]));
  }
  return bytes.length <= 16 ? bytes : undefined;
}
