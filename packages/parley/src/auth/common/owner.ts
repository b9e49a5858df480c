import { networkOf } from './address.ts';

/**
 * The owner that a limited resource counts for: the principal, or the network address.
 *
 * @returns `undefined` if neither is known, as over stdio.
 */
export function ownerOf(principal: string | undefined, address: string | undefined): string | undefined {
  // The text of JSON is well-formed, whatever a principal is called.
  if (principal !== undefined) return `principal ${JSON.stringify(principal)}`;
  return address === undefined ? undefined : `address ${networkOf(address)}`;
}

/** The kind of an owner, for messages: several clients may share an address. */
export function kindOfOwner(owner: string): 'principal' | 'address' {
  return owner.startsWith('principal ') ? 'principal' : 'address';
}
