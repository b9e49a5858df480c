import type { Attributes } from '@opentelemetry/api';
import type { MiddlewareContext, MiddlewareSession } from '../connection/middleware/middleware.ts';
import { connectionAttributes, serverAttributes } from './facts.ts';
import type { Instruments } from './instruments.ts';
import { unansweredFor } from './outcome.ts';

/** MeasuredSessions that messages belong to: each is measured once, and named by a hash of its id, which is a secret. */
export class MeasuredSessions {
  readonly #instruments: Instruments;
  readonly #known = new WeakMap<MiddlewareSession, MeasuredSession>();

  constructor(instruments: Instruments) {
    this.#instruments = instruments;
  }

  /** The session of a message; `undefined` where it belongs to none. */
  of(passing: MiddlewareContext): MeasuredSession | undefined {
    const { session } = passing;
    if (session === undefined) return undefined;
    let followed = this.#known.get(session);
    if (followed === undefined) this.#known.set(session, (followed = this.#follow(passing, session)));
    return followed;
  }

  #follow(passing: MiddlewareContext, session: MiddlewareSession): MeasuredSession {
    const followed: MeasuredSession = {
      attributes: { ...connectionAttributes(passing), ...serverAttributes(passing) },
      name: undefined,
      naming: undefined,
    };
    const { side } = passing;
    const { id } = session;
    if (id !== undefined)
      followed.naming = hashed(id).then((name) => {
        followed.name = name;
        followed.naming = undefined;
      });
    session.onEnd((cause) => {
      const failure = cause === undefined ? {} : { 'error.type': unansweredFor(cause) ?? cause.name };
      const seconds = (performance.now() - session.openedAt) / 1000;
      this.#instruments.sessions[side].record(seconds, { ...followed.attributes, ...failure });
    });
    return followed;
  }
}

/** A session that is measured. */
export interface MeasuredSession {
  attributes: Attributes;
  /** The hash of its id, once it is there. */
  name: string | undefined;
  /** Done when the name is there. */
  naming: Promise<void> | undefined;
}

/** The first half of the SHA-256 of an id, by which nobody can use the session. */
async function hashed(id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
