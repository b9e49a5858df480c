/** Addresses of clients behind trusted proxies. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { refuseUnknown, type Names } from '../../../../options/known-names.ts';
import { shown } from '../../../../options/shown.ts';
import { canonicalAddress, forwardingHeaders, hopsOf, type ForwardingHeader } from './forwarded.ts';

/** Proxies whose forwarding headers are trusted. */
export interface TrustedProxies {
  /**
   * Their addresses and ranges, such as `'10.0.0.7'`, `'10.0.0.0/8'` and `'fd00::/8'`: those of all proxies between
   * clients and this server, and no others. A host with one of these addresses can claim any client address.
   */
  readonly addresses: readonly string[];
  /**
   * The header that they set. The other one is ignored: a proxy that does not know it passes on an untrusted client's
   * value.
   */
  readonly header: 'x-forwarded-for' | 'forwarded';
}

const names: Names<TrustedProxies> = { addresses: 1, header: 1 };

/** Finds the address of the sender of a request; `undefined` if the connection has none. */
export type AddressOf = (message: IncomingMessage) => string | undefined;

/** Limit of proxies that are followed for one request. */
const maxHops = 32;

/**
 * Makes the rule for a client's address: that of the connection, or, while it is a trusted proxy's, the one that this
 * proxy names. The first untrusted address is the client's. Its own claims do not count.
 *
 * @returns `undefined` without an option: no proxy is trusted.
 * @throws TypeError for an option that matches no address, or every address.
 */
export function addressBehind(given: TrustedProxies | undefined): AddressOf | undefined {
  if (given === undefined) return undefined;
  const { trusts, header } = trustOf(given);
  return (message) => {
    const { remoteAddress } = message.socket;
    if (remoteAddress === undefined) return undefined;
    const peer = peerOf(remoteAddress);
    if (peer === undefined || !trusts(peer)) return peer ?? remoteAddress;
    let address = peer;
    let left = maxHops;
    for (const hop of hopsOf(header, linesOf(message, header))) {
      if (left-- === 0 || hop === undefined) break;
      // Loopback of another machine is not of this one.
      if (isOfLoopback(hop) && !isOfLoopback(address)) break;
      address = hop;
      if (!trusts(address)) break;
    }
    return address;
  };
}

/** Tells whether a connection comes from a trusted proxy, by its address. */
export function isProxyAmong(given: TrustedProxies | undefined): (remoteAddress: string) => boolean {
  if (given === undefined) return () => false;
  const { trusts } = trustOf(given);
  return (remoteAddress) => {
    const peer = peerOf(remoteAddress);
    return peer !== undefined && trusts(peer);
  };
}

/** A zone names an interface of this machine, not the peer. */
function peerOf(remoteAddress: string): string | undefined {
  return canonicalAddress(remoteAddress.split('%', 1)[0] ?? '');
}

function isOfLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function linesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.flatMap((value, at) => (at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name ? [value] : []));
}

const example = "{ addresses: ['10.0.0.7', '192.168.0.0/16'], header: 'x-forwarded-for' }";

function trustOf(given: unknown): { readonly trusts: (address: string) => boolean; readonly header: ForwardingHeader } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`trustedProxies must be such as ${example}, not ${shown(given)}`);
  refuseUnknown('trustedProxies', given, names);
  const { addresses, header: named }: { readonly addresses?: unknown; readonly header?: unknown } = given;
  const header = forwardingHeaders.find((name) => typeof named === 'string' && named.toLowerCase() === name);
  if (header === undefined)
    throw new TypeError(
      `trustedProxies.header must be 'x-forwarded-for' or 'forwarded', whichever the proxies write, not ${shown(named)}`,
    );
  if (!Array.isArray(addresses) || addresses.length === 0)
    throw new TypeError(
      `trustedProxies.addresses must be a list of addresses and ranges, such as ['10.0.0.7', '192.168.0.0/16'], not ${Array.isArray(addresses) ? 'an empty one' : shown(addresses)}`,
    );
  const list = new BlockList();
  for (const entry of addresses) add(list, entry);
  return { header, trusts: (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') };
}

/** @throws TypeError for text that is neither an address nor a range, and for a range that contains every address. */
function add(list: BlockList, entry: unknown): void {
  const [text = '', length, ...more] = typeof entry === 'string' ? entry.split('/') : [];
  const address = canonicalAddress(text);
  if (address === undefined || more.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)))
    throw new TypeError(
      `trustedProxies.addresses has ${shown(entry)}, which is neither an address such as '10.0.0.7' nor a range such as '10.0.0.0/8'; names are not resolved`,
    );
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (length === undefined) return list.addAddress(address, family);
  const whole = family === 'ipv6' ? 128 : 32;
  // An address that was written as a mapped one counts its bits from there.
  const bits = Number(length) - (family === 'ipv4' && text.includes(':') ? 96 : 0);
  if (bits > whole || bits < 0)
    throw new TypeError(`trustedProxies.addresses has ${shown(entry)}, whose length is not within 0 and ${whole}`);
  if (bits === 0)
    throw new TypeError(
      `trustedProxies.addresses has ${shown(entry)}, which is everybody: any client could claim any address; name the proxies`,
    );
  list.addSubnet(address, bits, family);
}
