/** Accounts of third parties for the tools of a protected server: a person connects theirs on a page of it. It runs anywhere. */

export type { Fetch, FetchRequest, FetchResponse } from './jsonrpc/fetch.ts';
export { connectAccount, type Account, type AccountToken, type AccountWish } from './auth/accounts/connect-account.ts';
export type { AccountClient, AccountEndpoints, ConnectAccountOptions } from './auth/accounts/options.ts';
export type { SessionOf } from './auth/consent/consent.ts';
export { principalOf } from './auth/common/principal.ts';
export type { Identity } from './auth/client/grant.ts';
export type { ClientAuthenticationMethod } from './auth/client/client-authentication.ts';
export type { KeySource, NamedKey, SigningKey } from './auth/common/signing-key.ts';
export { AuthorizationError, type AuthorizationReason } from './auth/common/errors.ts';
export type { NetworkOptions } from './auth/common/network.ts';
export type { CredentialKey, CredentialStore, CredentialWrite, StoredCredential } from './storage/credentials.ts';
export type { WebKey, WebKeyPair } from './sealing/web-crypto.ts';
export { memoryCredentialStore } from './storage/memory-credentials.ts';
export { sealedCredentialStore, type SealedCredentialStoreOptions } from './storage/sealed-credentials.ts';
export type { SealingKey } from './sealing/sealing-key.ts';
export type { ToolContext } from './server/definition/tool-context.ts';
