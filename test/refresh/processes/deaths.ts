/** The end of a process in the middle of what it does: by the signal that nobody can catch. */

import { openSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { CredentialStore } from '../../../packages/parley/src/storage/credentials.ts';
import { endNow } from '../../support/misfortunes.ts';
import type { Orders } from './messages.ts';
import type { Step } from './plan.ts';

/** What is needed to know who dies. */
type DeathOrders = Pick<Orders, 'deaths' | 'began' | 'claims'>;

/** Says whether whoever comes to a step dies there: it is the first, which a file says to the others. */
export function isDeath({ deaths, began, claims }: DeathOrders, step: Step): boolean {
  return deaths.some(({ step: of, from }, number) => {
    if (of !== step || Date.now() - began < from) return false;
    try {
      openSync(join(claims, String(number)), 'wx');
      return true;
    } catch {
      return false;
    }
  });
}

/** Ends the process at the steps of its orders. */
export class Deaths {
  readonly #orders: DeathOrders;
  /** True while a renewed grant is written. */
  #renews = false;
  /** How many writes of logins there were. */
  #ofLogins = 0;

  constructor(orders: DeathOrders) {
    this.#orders = orders;
  }

  at(step: Step): void {
    if (isDeath(this.#orders, step)) endNow();
  }

  /** Makes the files of grants deadly: a version has its name by a link. */
  arm(): void {
    const { link } = fs;
    fs.link = async (from, to) => {
      const isGrant = basename(dirname(String(to))).startsWith('grant-') && this.#renews;
      if (isGrant) this.at('in the write, before its file has its name');
      await link(from, to);
      if (isGrant) this.at('in the write, when its file has its name');
    };
    syncBuiltinESMExports();
  }

  /** The same store, in which the process may die. */
  in(store: CredentialStore): CredentialStore {
    return {
      ...store,
      write: async (key, text, options) => {
        const isRenewal = key.kind === 'grant' && typeof options?.ifGeneration === 'string' && text !== undefined;
        if (isRenewal) this.at('before the write');
        const isOfLogin = (key.kind === 'grant' && !isRenewal) || key.kind === 'server';
        if (isOfLogin && text !== undefined && ++this.#ofLogins % 2 === 0) this.at('between the two writes of a login');
        this.#renews = isRenewal;
        const done = await store.write(key, text, options);
        this.#renews = false;
        if (isRenewal) this.at('after the write');
        return done;
      },
      lock: (key, run, signal) =>
        store.lock(
          key,
          async (lost) => {
            this.at('holding the lock');
            const result = await run(lost);
            this.at('before the lock is given back');
            return result;
          },
          signal,
        ),
    };
  }
}
