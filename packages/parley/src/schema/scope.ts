/** Targets of references: for `$dynamicRef`, that depends on the schemas by which one came to it. */

import { SchemaError, type SchemaResource, type SchemaDocument } from './document.ts';

/** The schemas that dynamic anchors name in the resources entered so far, the outermost first. */
export interface Scope {
  readonly anchors: ReadonlyMap<string, unknown>;
  /** Key that tells it apart from others. */
  readonly key: string;
  /** The scopes within it, by the resources that were entered from it. */
  readonly within: Map<SchemaResource, Scope>;
}

/** Limit of the anchors that are looked at to find out in which scope each resource is used. */
const maxAnchors = 200_000;

/** Makes the scopes of a document. */
export class Scopes {
  /** The scope of the document, before any resource is entered. */
  readonly outermost: Scope = { anchors: new Map(), key: '', within: new Map() };
  readonly #document: SchemaDocument;
  readonly #numbers = new Map<unknown, number>();
  /** The scopes by their keys: ways that enter the same anchors come to the same scope. */
  readonly #made = new Map<string, Scope>();
  #lookedAt = 0;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /**
   * The scope within a resource.
   *
   * @throws SchemaError when there are too many, or too large ones.
   */
  enter(resource: SchemaResource, scope: Scope): Scope {
    if (!this.#document.names.has('$dynamicRef')) return scope;
    const before = scope.within.get(resource);
    if (before !== undefined) return before;
    const entered = this.#entered(resource, scope);
    scope.within.set(resource, entered);
    return entered;
  }

  #entered({ dynamicAnchors }: SchemaResource, scope: Scope): Scope {
    this.#pay(dynamicAnchors.size);
    const added = [...dynamicAnchors].filter(([anchor]) => !scope.anchors.has(anchor));
    if (added.length === 0) return scope;
    const key = `${scope.key} ${added.map(([, raw]) => this.#numberOf(raw)).join()}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    this.#pay(scope.anchors.size);
    const made: Scope = { anchors: new Map([...scope.anchors, ...added]), key, within: new Map() };
    this.#made.set(key, made);
    return made;
  }

  #pay(anchors: number): void {
    this.#lookedAt += anchors;
    if (this.#lookedAt > maxAnchors) throw new SchemaError('schema has too many dynamic scopes');
  }

  /** Target of the value of `$ref` or `$dynamicRef`. */
  follow(
    name: string,
    reference: unknown,
    { resource, scope }: { readonly resource: SchemaResource; readonly scope: Scope },
  ): unknown {
    const { target, dynamicAnchor } = this.#document.resolve(String(reference), resource);
    return name === '$dynamicRef' ? (scope.anchors.get(dynamicAnchor ?? '') ?? target) : target;
  }

  #numberOf(raw: unknown): number {
    const number = this.#numbers.get(raw) ?? this.#numbers.size;
    this.#numbers.set(raw, number);
    return number;
  }
}

/** Limit of tests that may come of a schema; one is made again for each dynamic scope that it is used in. */
const maxTests = 20_000;

/** Values made of schemas, each in the scopes that it is used in. */
export class MadeByScope<T> {
  readonly #byScope = new Map<string, Map<unknown, T>>();
  #size = 0;

  get(raw: unknown, { key }: Scope): T | undefined {
    return this.#byScope.get(key)?.get(raw);
  }

  /** @throws SchemaError when there are too many. */
  set(raw: unknown, { key }: Scope, one: T): void {
    if (++this.#size > maxTests) throw new SchemaError('schema has too many dynamic scopes');
    const known = this.#byScope.get(key);
    if (known === undefined) this.#byScope.set(key, new Map([[raw, one]]));
    else known.set(raw, one);
  }
}
