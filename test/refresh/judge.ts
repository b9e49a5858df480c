/** What must hold at every moment of every schedule. */

import type { RedirectRequest } from '../../packages/parley/src/auth/common/redirect.ts';
import { credentialKeyText, type CredentialKey } from '../../packages/parley/src/storage/credentials.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { Disk, DiskWatcher } from './disk.ts';
import type { GuardedServer } from './guarded-server.ts';
import type { Exchange, NetworkWatcher } from './network.ts';
import type { Process, World } from '../simulation/world.ts';

/** A holder that stood still for so long may have been taken for dead, in milliseconds. */
const takenForDeadMs = 4_500;

/** A page that a person has before them. */
export interface Tab {
  readonly process: Process;
  readonly from: number;
  readonly issuer: string;
}

interface Parts {
  readonly server: GuardedServer;
  readonly issuers: readonly AuthorizationServer[];
  readonly disk: Disk;
}

/** Watches a world, and notes what must not be. */
export class Judge implements NetworkWatcher, DiskWatcher {
  readonly violations: string[] = [];
  readonly tabs: Set<Tab> = new Set();
  /** How many logins, renewals and repetitions there were. */
  readonly counts: Record<'logins' | 'renewals' | 'repeated' | 'requests' | 'lost' | 'refused', number> = {
    logins: 0,
    renewals: 0,
    repeated: 0,
    requests: 0,
    lost: 0,
    refused: 0,
  };
  readonly requests: Map<Process, number> = new Map();
  readonly #world: World;
  readonly #uses = new Map<string, Exchange[]>();
  /** When a grant of a process was refused by the store. */
  readonly #refusedAt = new Map<Process, number>();
  #parts: Parts | undefined;
  #lastWrite: { readonly by: Process; readonly at: number } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  watch(parts: Parts): void {
    this.#parts = parts;
  }

  violated(words: string): void {
    this.#world.note(`VIOLATED: ${words}`);
    this.violations.push(words);
  }

  sent(exchange: Exchange): void {
    const { process, request } = exchange;
    this.counts.requests++;
    this.requests.set(process, (this.requests.get(process) ?? 0) + 1);
    this.#placed(exchange);
    const form = new URLSearchParams(request.body);
    const token = request.url.pathname === '/token' ? form.get('refresh_token') : null;
    this.#world.note(`${request.method} ${request.url.href.slice(0, 70)} ${token ?? ''}`);
    if (token === null) return;
    this.counts.renewals++;
    const uses = this.#uses.get(token) ?? [];
    this.#uses.set(token, uses);
    if (uses.length > 0) this.counts.repeated++;
    for (const before of uses)
      if (this.#isKnown(before) && this.#isRotated(token) && !this.#isKeptFrom(process, before))
        this.violated(
          `${process.name} uses ${token} again, which ${before.process.name} used at ${before.sentAt} (${before.state})`,
        );
    uses.push(exchange);
  }

  refused(process: Process, { kind }: CredentialKey): void {
    this.#world.note(`${process.name} cannot write a ${kind}`);
    if (kind !== 'grant') return;
    this.counts.refused++;
    this.#refusedAt.set(process, this.#world.now);
  }

  /** Whether another process could not tell what it got: nobody but itself can know then. */
  #isKeptFrom(process: Process, { process: other, sentAt }: Exchange): boolean {
    return process !== other && (this.#refusedAt.get(other) ?? -1) >= sentAt;
  }

  changed(process: Process, key: CredentialKey, before: string | undefined, after: string | undefined): void {
    if (key.kind !== 'grant') return;
    const [old, now] = [refreshTokenIn(before), refreshTokenIn(after)];
    this.#world.note(`${process.name} writes ${old ?? 'nothing'} -> ${now ?? 'nothing'}`);
    if (now !== undefined) this.#lastWrite = { by: process, at: this.#world.now };
    if (old === undefined) return;
    if (now === undefined) {
      this.counts.lost++;
      // A login deletes the grant that it replaced.
      if (this.#isGood(old) && this.#isPointedAt(key)) this.violated(`${process.name} deletes ${old}, which is good`);
    } else if (isOlder(now, old)) this.violated(`${process.name} puts ${now} in the place of ${old}`);
  }

  /** A person is to be asked. */
  opens(process: Process, { issuer, reason }: RedirectRequest): Tab {
    this.counts.logins++;
    this.#world.note(`${process.name} asks a person for ${issuer}`);
    for (const { process: other, from, issuer: of } of this.tabs)
      if (of === issuer && other.alive && other.stoppedWithin(from - takenForDeadMs, this.#world.now) < takenForDeadMs)
        this.violated(`${process.name} opens a tab beside that of ${other.name}`);
    const kept = this.#kept();
    const isGood = kept !== undefined && this.#isGood(kept) && !this.#isSpentBy(process, kept);
    if (reason === 'login' && isGood && !this.#isLate(process, issuer))
      this.violated(`${process.name} asks for a login though ${kept} is good`);
    const tab = { process, from: this.#world.now, issuer };
    this.tabs.add(tab);
    return tab;
  }

  /** Whether the store refused what a process got by a refresh token: it does not send that again, though some servers take it. */
  #isSpentBy(process: Process, token: string): boolean {
    const uses = this.#uses.get(token) ?? [];
    return uses.some((use) => use.process === process && (this.#refusedAt.get(process) ?? -1) >= use.sentAt);
  }

  /** Whether what is kept came after whoever asks had looked for the last time: of another issuer, or from one that had stood still. */
  #isLate(process: Process, issuer: string): boolean {
    const { now } = this.#world;
    if (this.#lastWrite === undefined) return false;
    const { by, at } = this.#lastWrite;
    const isExcused =
      issuer !== this.#parts!.server.issuer.origin || by.stoppedWithin(now - 60_000, now) >= takenForDeadMs;
    return isExcused && now - at - process.stoppedWithin(at, now) < 1_300;
  }

  /** The refresh token of the grant that is kept for the server. */
  #kept(): string | undefined {
    const key = this.#keptKey();
    return key === undefined ? undefined : refreshTokenIn(this.#parts!.disk.read(key)?.text);
  }

  /** The key of the grant that is kept for the server. */
  #keptKey(): string | undefined {
    const { disk, server } = this.#parts!;
    const pointer: CredentialKey = { kind: 'server', issuer: `${server.origin}/mcp` };
    const text = disk.read(credentialKeyText(pointer))?.text;
    if (text === undefined) return undefined;
    // The text of the keeper, whose form the test below knows.
    const { issuer, resource, client } = JSON.parse(text) as Record<'issuer' | 'resource' | 'client', string>;
    return credentialKeyText({ kind: 'grant', issuer, resource, client });
  }

  #isPointedAt(key: CredentialKey): boolean {
    return credentialKeyText(key) === this.#keptKey();
  }

  #isGood(refreshToken: string): boolean {
    const { server } = this.#parts!;
    return server.issuer.isGood(refreshToken);
  }

  #isRotated(token: string): boolean {
    const { issuers } = this.#parts!;
    const given = issuers.map((issuer) => issuer.given(token)).find((one) => one !== undefined);
    return given !== undefined && given.family.generation > given.generation;
  }

  /** Whether what came of a use was known, or will be, to somebody who lives. */
  #isKnown({ process, state, sentAt }: Exchange): boolean {
    return state !== 'failed' && process.alive && process.stoppedWithin(sentAt, this.#world.now) < takenForDeadMs;
  }

  /** No token goes where it does not belong. */
  #placed({ process, request: { url, headers, body } }: Exchange): void {
    const { server, issuers } = this.#parts!;
    if (url.origin !== server.origin && !issuers.some(({ origin }) => origin === url.origin))
      this.violated(`${process.name} sends to ${url.origin}`);
    const all = `${url.href}\n${JSON.stringify(headers)}\n${body}`;
    for (const [text, kind, issuer] of all.matchAll(/\b(at|rt|code|secret|client)\.(as[12])\.[\w.]+/g)) {
      const fits =
        kind === 'at'
          ? url.href === `${server.origin}/mcp` && headers['authorization'] === `Bearer ${text}`
          : url.hostname === `${issuer}.example` && (url.pathname === '/token' || kind === 'client');
      if (!fits) this.violated(`${process.name} sends ${text} to ${url.href}`);
    }
  }
}

function refreshTokenIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // The text of the keeper.
  return (JSON.parse(text) as { readonly refreshToken?: string }).refreshToken;
}

/** Whether a refresh token is an earlier one of the same family. */
function isOlder(one: string, other: string): boolean {
  const [ofOne, ofOther] = [one, other].map((token) => token.split('.'));
  const isSame = ofOne!.slice(0, 3).join('.') === ofOther!.slice(0, 3).join('.');
  return isSame && Number(ofOne![3]) < Number(ofOther![3]);
}
