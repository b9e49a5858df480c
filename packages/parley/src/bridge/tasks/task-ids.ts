import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Seal } from '../../sealing/seal.ts';
import { McpError } from '../../protocol/error.ts';
import type { RevisionDate } from '../../protocol/revision.ts';

/** Task of an upstream server, or of a client for one, as an id that left the bridge names it. */
export interface NamedTask {
  /** Name of the server among several; empty for the only one. */
  readonly member: string;
  /** The id by which its host knows it. */
  readonly taskId: string;
  /** Revision that the server spoke when it was made. */
  readonly revision: RevisionDate;
  /**
   * Capabilities with which it was made, if they decide what its server may ask. Other requests about it may declare
   * less.
   */
  readonly declared?: ClientCapabilities | undefined;
  /** Name of the connection on which it was made, where several may lead to several servers. */
  readonly within?: string | undefined;
}

/** The longest task id of a server, in characters. Over HTTP ids travel in headers too, and sealed ones are longer. */
const maxOwnLength = 1_024;

/** No id that was sealed here is longer: a character takes six bytes at most in JSON, and a byte four thirds of a character. */
const maxSealedLength = 12_288;

/** Number of ids that are sealed or opened side by side. */
const atOnce = 64;

/**
 * The task ids that a bridge gives to clients: sealed under its keys, with the principal that owns the task. There is
 * no table, so any process with the keys can open them, and another principal's id does not open. A task has the same
 * id each time while the newest key stays the same.
 */
export class TaskIds {
  readonly #seal: Seal;
  readonly #kind: string;

  /** @param hosts The side that runs the tasks. An id of one side is invalid for the other. */
  constructor(seal: Seal, hosts: 'client' | 'server' = 'server') {
    this.#seal = seal;
    this.#kind = hosts === 'server' ? 'task' : 'task of the client';
  }

  /** @throws McpError internalError for an id of a server that no client can be given. */
  async seal(
    { member, taskId, revision, declared, within }: NamedTask,
    principal: string | undefined,
  ): Promise<string> {
    if (taskId === '' || taskId.length > maxOwnLength)
      throw new McpError(
        'internalError',
        `a task was named by ${taskId.length} characters; there can be 1 to ${maxOwnLength}`,
      );
    const parts = [member, revision, taskId, ...(declared === undefined ? [] : [declared, within])];
    return await this.#seal.sealAlike(JSON.stringify(parts), boundTo(this.#kind, principal));
  }

  /** The task of an id; `undefined` for whatever was not sealed under these keys for this principal. */
  async open(id: string, principal: string | undefined): Promise<NamedTask | undefined> {
    const text = id.length > maxSealedLength ? undefined : await this.#seal.open(id, boundTo(this.#kind, principal));
    if (text === undefined) return undefined;
    // Only text that was sealed here gets this far: it has the shape that it was written with.
    const [member, revision, taskId, declared, within] = JSON.parse(text) as [
      string,
      RevisionDate,
      string,
      ClientCapabilities?,
      (string | null)?,
    ];
    return { member, revision, taskId, declared, within: within ?? undefined };
  }

  /**
   * Opens many ids, each once.
   *
   * @returns The tasks of those that open, by id.
   */
  async openAll(ids: readonly string[], principal: string | undefined): Promise<ReadonlyMap<string, NamedTask>> {
    const different = [...new Set(ids)];
    const opened = new Map<string, NamedTask>();
    for (let at = 0; at < different.length; at += atOnce) {
      const some = different.slice(at, at + atOnce);
      const tasks = await Promise.all(some.map((id) => this.open(id, principal)));
      for (const [index, id] of some.entries()) {
        const task = tasks[index];
        if (task !== undefined) opened.set(id, task);
      }
    }
    return opened;
  }
}

/** Binding of the ids of a principal. Other data under the same keys has other bindings. */
function boundTo(kind: string, principal: string | undefined): string {
  return JSON.stringify([kind, principal ?? null]);
}
