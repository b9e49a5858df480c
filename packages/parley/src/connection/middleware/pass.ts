import { isObject, shownId } from '../../jsonrpc/message.ts';
import { isLater, type MaybePromise } from '../../storage/maybe-promise.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { MiddlewareStack, Used } from './middleware-stack.ts';
import type { Middleware, MiddlewareContext } from './middleware.ts';
import { shownParams } from './shown-ids.ts';

/** A message with the facts that the caller knows. */
export interface MiddlewareFacts extends Omit<MiddlewareContext, 'params' | 'meta'> {
  /**
   * Checks parameters that middleware changed, and gives them as they go on.
   *
   * @throws Error for those that the method cannot have.
   */
  check(params: JsonObject): JsonObject;
}

/** Continues with a message behind all middleware. */
export type Core = (params: JsonObject) => MaybePromise<JsonObject>;

type Run = (about: MiddlewareFacts, params: JsonObject, core: Core) => MaybePromise<JsonObject>;

/** Middleware of a chain as one function for each method that has some of its own, and one for all others. */
interface Compiled {
  readonly size: number;
  readonly general: Run;
  readonly ofMethods: ReadonlyMap<string, Run>;
}

const compiled = new WeakMap<MiddlewareStack, Compiled>();

/**
 * Sends a message through the middleware of a chain.
 *
 * @param core The code behind it; it runs at most once.
 * @throws TypeError for middleware that breaks its contract, and errors of middleware.
 */
export function pass(
  chain: MiddlewareStack,
  about: MiddlewareFacts,
  params: JsonObject,
  core: Core,
): MaybePromise<JsonObject> {
  const { all } = chain;
  let made = compiled.get(chain);
  if (made?.size !== all.length) compiled.set(chain, (made = compile(all)));
  return (made.ofMethods.get(about.method) ?? made.general)(about, params, core);
}

function compile(all: readonly Used[]): Compiled {
  const runFor = (wanted: string | undefined): Run =>
    all
      .filter(({ method }) => method === undefined || method === wanted)
      .reduceRight<Run>((inner, { middleware }) => around(middleware, inner), behind);
  const methods = new Set(all.flatMap(({ method }) => method ?? []));
  return {
    size: all.length,
    general: runFor(undefined),
    ofMethods: new Map([...methods].map((method) => [method, runFor(method)])),
  };
}

const behind: Run = (_about, params, core) => core(params);

/** Wraps one middleware function around the code behind it. */
function around(middleware: Middleware, inner: Run): Run {
  return (about, params, core) => {
    let goneOn = false;
    let isOver = false;
    let given: MaybePromise<JsonObject> | undefined;
    const next = (changed?: JsonObject): MaybePromise<JsonObject> => {
      if (goneOn) throw misused(about, 'twice');
      if (isOver) throw misused(about, 'after it had ended');
      goneOn = true;
      given = inner(
        about,
        changed === undefined ? params : withIdsOf(about.method, params, checked(about, changed)),
        core,
      );
      // Middleware may await this later or never. A rejection until then must not end the process.
      if (given instanceof Promise) given.catch(ignore);
      return given;
    };
    let returned: MaybePromise<JsonObject>;
    try {
      returned = middleware(new PassingMessage(about, params), next);
    } catch (error) {
      isOver = true;
      throw error;
    }
    // An unchanged result needs no check.
    if (given !== undefined && returned === given) return given;
    if (!isLater(returned)) {
      isOver = true;
      return resultOf(about, returned);
    }
    return Promise.resolve(returned).then(
      (result) => {
        isOver = true;
        return resultOf(about, result);
      },
      (error: unknown) => {
        isOver = true;
        throw error;
      },
    );
  };
}

function ignore(): void {}

function misused({ method }: MiddlewareFacts, how: string): TypeError {
  return new TypeError(`middleware called next ${how} for ${method}`);
}

function checked(about: MiddlewareFacts, changed: unknown): JsonObject {
  const wrong = `middleware changed the params of ${about.method} to invalid ones`;
  if (!isObject(changed)) throw new TypeError(`${wrong}: they are an object`);
  try {
    return about.check(changed);
  } catch (cause) {
    throw new TypeError(`${wrong}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Changed parameters, with the ids that middleware saw as they are sent. */
function withIdsOf(method: string, sent: JsonObject, changed: JsonObject): JsonObject {
  const shown = shownParams(method, sent);
  if (shown === sent) return changed;
  const restored = withIdsIn(sent, shown, changed);
  const [meta, ofSent, ofShown] = [restored['_meta'], sent['_meta'], shown['_meta']];
  if (!isObject(meta) || !isObject(ofSent) || !isObject(ofShown)) return restored;
  return { ...restored, _meta: withIdsIn(ofSent, ofShown, meta) };
}

function withIdsIn(sent: JsonObject, shown: JsonObject, changed: JsonObject): JsonObject {
  const isId = (key: string): boolean => typeof sent[key] === 'string' && sent[key] !== shown[key];
  const own = Object.entries(changed).map(([key, value]) => [
    key,
    isId(key) && value === shown[key] ? sent[key] : value,
  ]);
  return Object.fromEntries(own);
}

function resultOf({ kind, method }: MiddlewareFacts, result: unknown): JsonObject {
  if (kind === 'notification') return {};
  if (isObject(result)) return result;
  throw new TypeError(`middleware returned no result for ${method}: a result is an object`);
}

/** The message as one middleware function sees it. Facts about it are computed on demand. */
class PassingMessage implements MiddlewareContext {
  readonly params: JsonObject;
  readonly #about: MiddlewareFacts;

  constructor(about: MiddlewareFacts, params: JsonObject) {
    this.#about = about;
    this.params = shownParams(about.method, params);
  }

  get meta(): JsonObject {
    const { _meta: meta } = this.params;
    return isObject(meta) ? meta : {};
  }
  get side(): MiddlewareContext['side'] {
    return this.#about.side;
  }
  get direction(): MiddlewareContext['direction'] {
    return this.#about.direction;
  }
  get kind(): MiddlewareContext['kind'] {
    return this.#about.kind;
  }
  get method(): string {
    return this.#about.method;
  }
  get revision(): MiddlewareContext['revision'] {
    return this.#about.revision;
  }
  get requestId(): MiddlewareContext['requestId'] {
    const { requestId } = this.#about;
    return requestId === undefined ? undefined : shownId(requestId);
  }
  get session(): MiddlewareContext['session'] {
    return this.#about.session;
  }
  get transport(): string | undefined {
    return this.#about.transport;
  }
  get protocol(): string | undefined {
    return this.#about.protocol;
  }
  get auth(): MiddlewareContext['auth'] {
    return this.#about.auth;
  }
  get address(): string | undefined {
    return this.#about.address;
  }
  get known(): boolean | undefined {
    return this.#about.known;
  }
  get signal(): AbortSignal {
    return this.#about.signal;
  }
}
