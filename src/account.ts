/** Accounts of third parties for the tools of a protected server: a person connects theirs on a page of it. It runs anywhere. */

export { connectAccount, type Account, type AccountToken, type AccountWish } from './account/connect-account.ts';
export type { AccountClient, AccountEndpoints, ConnectAccountOptions } from './account/options.ts';
export type { SessionOf } from './consent/consent.ts';
export { principalOf } from './auth/principal.ts';
export type { Identity } from './oauth/grant.ts';
export type { ClientAuthenticationMethod } from './oauth/client-authentication.ts';
export type { KeySource, NamedKey, SigningKey } from './auth/signing-key.ts';
export { AuthorizationError, type AuthorizationErrorOptions, type AuthorizationReason } from './auth/errors.ts';
export type { AuthorizationFetch, AuthorizationRequest, AuthorizationResponse } from './auth/document.ts';
export type { NetworkOptions } from './auth/network.ts';
export type { CredentialKey, CredentialStore, CredentialWrite, KeptCredential } from './store/credentials.ts';
export type { JsonWebKeyFields, WebKey, WebKeyPair } from './seal/web-crypto.ts';
export { memoryCredentialStore } from './store/memory-credentials.ts';
export { sealedCredentialStore, type SealedCredentialStoreOptions } from './store/sealed-credentials.ts';
export type { SealingKey } from './seal/sealing-key.ts';
export type { Ctx } from './server/ctx.ts';
