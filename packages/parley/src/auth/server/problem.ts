/** Reasons why a token is rejected. The texts help a client and reveal nothing to a thief. */

/** Text for each kind of fault, without any part of the token. */
const words = {
  malformed: 'the access token cannot be read',
  expired: 'the access token has expired',
  early: 'the access token is not valid yet',
  issuer: 'the access token was not issued by an authorization server of this resource',
  audience: 'the access token was not issued for this resource',
  type: 'this is not an access token',
  signature: 'the signature of the access token does not hold',
  inactive: 'the access token is not active',
  nobody: 'the access token names no subject',
  bound: 'the access token is bound to a key: a proof of it is needed',
  unbound: 'the access token is not bound to the key of the proof',
} as const;

/** A kind of fault. */
export type TokenFault = keyof typeof words;

/** A token that is not taken. */
export class TokenProblem extends Error {
  readonly fault: TokenFault;

  constructor(fault: TokenFault) {
    super(words[fault]);
    this.name = 'TokenProblem';
    this.fault = fault;
  }
}

/** A proof of a key that is not taken; the error code is OAuth's. (RFC 9449, section 7.1.) */
export class ProofProblem extends Error {
  readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce';

  constructor(message: string, code: ProofProblem['code'] = 'invalid_dpop_proof') {
    super(message);
    this.name = 'ProofProblem';
    this.code = code;
  }
}

/** The token cannot be verified now, because the verifier cannot be reached. This says nothing about the token. */
export class OutOfReach extends Error {
  constructor(cause: unknown) {
    super('what verifies access tokens is out of reach', { cause: cause instanceof OutOfReach ? cause.cause : cause });
    this.name = 'OutOfReach';
  }
}
