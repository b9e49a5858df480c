import { soon } from '../../jsonrpc/timeout.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { Handler } from '../../server/runtime/server-core.ts';
import { isAskedForLists } from '../../connection/gate.ts';
import { McpError } from '../../protocol/error.ts';
import { hasServerCapability } from '../../protocol/capability.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { fullName } from '../../protocol/prefixed-name.ts';
import { parseTemplate } from '../../server/uri-template/uri-template.ts';
import type { MergedCatalogue } from './merged-catalogue.ts';
import type { OwnedName } from './names.ts';
import type { Backend } from './backend.ts';

type Params = Parameters<Handler>[0];

/** Limit of the cost of matching one URI with the templates of one server: the products of their lengths. */
const maxWork = 4_000_000;
/** That limit for all URIs of one request. */
const maxWorkOfMany = 100_000_000;
/** Cost of reading a template, in characters of a URI that it is compared with. */
const parsing = 8;

/** Finds the server that a request is for. */
export class Routes {
  readonly #backends: readonly Backend[];
  readonly #catalogue: MergedCatalogue;

  constructor(backends: readonly Backend[], catalogue: MergedCatalogue) {
    this.#backends = backends;
    this.#catalogue = catalogue;
  }

  /** Hands a request to one server, which must be there. */
  async to(backend: Backend, params: Params, call: Call): Promise<unknown> {
    const { host } = await backend.present(call.signal);
    const handler = host.handler(call.method);
    if (handler === undefined) throw new McpError('methodNotFound', `${call.method} is not served by ${backend.name}`);
    return await handler(params, call);
  }

  /**
   * Finds the owner of a tool or prompt by its name. If a single server hides its items before a sign-in, an unknown
   * name goes there, so that the user is asked.
   *
   * @throws McpError invalidParams if no server has it, or more than one.
   */
  async named(kind: 'tools' | 'prompts', name: string, call: Call): Promise<OwnedName<Backend>> {
    const found = await this.#catalogue.find(kind, name, call);
    if (found !== undefined) return found;
    const noun = kind === 'tools' ? 'tool' : 'prompt';
    const shown = JSON.stringify(name.slice(0, 128));
    const users = this.#catalogue
      .usersOf(kind, name, call)
      .map((backend) => JSON.stringify(`${backend.label}__${name}`));
    if (users.length > 0) throw new McpError('invalidParams', `the ${noun} ${shown} is called ${users.join(' or ')}`);
    const locked = this.#backends.filter((backend) => backend.single?.signInTool?.(call) !== undefined);
    const [owner, another] = locked;
    if (owner !== undefined && another === undefined) return { owner, name };
    if (owner !== undefined)
      throw new McpError('invalidParams', `unknown ${noun} ${shown}: ${signInAdvice(locked, call)}`);
    const absent = this.#backends.filter((backend) => backend.absent).map((backend) => backend.name);
    const note = absent.length === 0 ? '' : ` (not reached now: ${absent.join(', ')})`;
    throw new McpError('invalidParams', `unknown ${noun} ${shown}${note}`);
  }

  /**
   * Forwards a request to the owner of a URI: the server that lists it, or whose template matches, or the first that
   * knows it.
   */
  async byUri(uri: string, params: Params, call: Call): Promise<unknown> {
    const owner = await this.ownerOf(uri, call);
    return owner === undefined ? await this.inOrder(params, call) : await this.to(owner, params, call);
  }

  /** Finds the server that lists a URI, or has a template that it follows. */
  async ownerOf(uri: string, call: Call): Promise<Backend | undefined> {
    return (await this.#ownerOf(uri, call, maxWork)).owner;
  }

  /** Finds the owners of many URIs, yielding to other work in between. URIs without an owner are left out. */
  async ownersOf(uris: readonly string[], call: Call): Promise<ReadonlyMap<string, Backend>> {
    const owners = new Map<string, Backend>();
    let left = maxWorkOfMany;
    for (const uri of uris) {
      const { owner, work } = await this.#ownerOf(uri, call, Math.min(left, maxWork));
      if (owner !== undefined) owners.set(uri, owner);
      left -= work;
      if (call.aborted) break;
      if (owner === undefined || work > 0) await new Promise<void>(soon);
    }
    return owners;
  }

  async #ownerOf(uri: string, call: Call, most: number): Promise<{ readonly owner?: Backend; readonly work: number }> {
    const listed = (await this.#catalogue.view('resources', call)).targets.get(uri);
    if (listed !== undefined) return { owner: listed.owner, work: 0 };
    const { targets } = await this.#catalogue.view('templates', call);
    const named = targets.get(uri);
    if (named !== undefined) return { owner: named.owner, work: 0 };
    // Matching takes time, so each server's share is bounded. Beyond it, the owner can still be asked.
    const spent = new Map<Backend, number>();
    for (const [template, { owner }] of targets) {
      const work = (spent.get(owner) ?? 0) + template.length * (uri.length + parsing);
      if (work > most) continue;
      spent.set(owner, work);
      if (follows(uri, template)) return { owner, work };
    }
    return { work: Math.max(0, ...spent.values()) };
  }

  /** Asks one server after the other, until one does not answer that it does not know the item. */
  async inOrder(params: Params, call: Call): Promise<unknown> {
    let refusal: McpError | undefined;
    const needs = methodOf(call.method)?.needs;
    const declares = ({ single }: Backend): boolean =>
      needs === undefined || (single !== undefined && hasServerCapability(single.host.capabilities(), needs));
    // Some servers declare nothing and serve it all the same. They are asked last. Some servers exit when they get an
    // unknown method.
    const undeclared = (backend: Backend): boolean =>
      !declares(backend) &&
      backend.single?.host.undeclared?.(needs ?? '', call.method) === true &&
      isAskedForLists(backend.single.host.capabilities());
    for (const { single } of [...this.#backends.filter(declares), ...this.#backends.filter(undeclared)]) {
      const handler = single?.host.handler(call.method);
      if (handler === undefined) continue;
      try {
        return await handler(params, call);
      } catch (error) {
        if (call.aborted || !isElsewhere(error)) throw error;
        refusal = worse(refusal, error);
      }
    }
    throw refusal ?? new McpError('methodNotFound', `${call.method} is not served by any connected server`);
  }
}

function signInAdvice(backends: readonly Backend[], call: Call): string {
  const tools = backends.map(({ label, single }) => fullName(label, single?.signInTool?.(call) ?? ''));
  const names = backends.map(({ name }) => name).join(', ');
  return `the user is not signed in at ${names}, which may have it; call the tool ${tools.join(' or ')} first`;
}

/** Errors of a server that does not know the item, or that cannot be reached. */
const elsewhere: ReadonlySet<string | undefined> = new Set([
  'resourceNotFound',
  'invalidParams',
  'methodNotFound',
  'internalError',
  'busy',
]);

function isElsewhere(error: unknown): error is McpError {
  return error instanceof McpError && elsewhere.has(error.kind);
}

/** Chooses the more informative of two refusals: a server that failed might have known the item. */
function worse(first: McpError | undefined, second: McpError): McpError {
  return first === undefined || ranks.indexOf(second.kind) > ranks.indexOf(first.kind) ? second : first;
}

const ranks: readonly (string | undefined)[] = [
  'methodNotFound',
  'invalidParams',
  'resourceNotFound',
  'internalError',
  'busy',
];

function follows(uri: string, template: string): boolean {
  try {
    return parseTemplate(template).match(uri) !== undefined;
  } catch (error) {
    // Whether templates are well-formed is up to the servers that list them.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
