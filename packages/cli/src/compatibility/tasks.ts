/** The lines of tasks, which two revisions have in forms of their own. */

import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { carried, changed, nothing, refused, type Feature, type Fidelity } from './cells.ts';

const group = 'Tasks';

/** One line for each of these. */
export const taskFeatures: readonly Feature[] = [
  {
    id: 'tasks-capability',
    title: 'The capability `tasks`, or the extension, of the server',
    group,
    between: (client, server) =>
      isKept(client, server)
        ? changed('declared as `tasks` with `cancel` and `requests.tools.call`: the bridge keeps the tasks')
        : isOfCore(client, server)
          ? changed('the extension, where the server runs calls of tools as tasks')
          : ofServer(client, server, `left out; ${missingAt(client, 'client')}`),
  },
  {
    id: 'tasks-of-clients',
    title: 'The capability `tasks`, or the extension, of the client',
    group,
    between: (client, server) => {
      if (client.tasks === 'none') return nothing("the client's revision has none");
      if (client.tasks === 'core' && isSame(client, server))
        return changed(
          'without `list`, on a separate connection of the session. Tasks of the client are carried, with ids of the bridge',
        );
      return isSame(client, server) ? carried : changed(`left out; ${missingAt(server, 'server')}`);
    },
  },
  {
    id: 'tasks-parameter',
    title: 'The parameter `task` of a tool call',
    group,
    between: (client, server) => {
      if (client.tasks !== 'core') return nothing("the client's revision has none");
      if (isKept(client, server)) return changed('the bridge keeps it, and declares the extension in its call');
      return isSame(client, server) ? carried : changed(`left out; ${missingAt(server, 'server')}`);
    },
  },
  {
    id: 'tasks-created',
    title: 'Calls that become tasks, under ids of the bridge',
    group,
    between: (client, server) => {
      if (isKept(client, server)) return changed('the bridge creates its own task, and follows the task of the server');
      if (isOfCore(client, server))
        return changed(
          'flat, with other names for its times. The bridge requests a task for `required` tools, and with `tasks: always` for `optional` tools',
        );
      return isSame(client, server) ? carried : nothing('the bridge requests none from the server');
    },
  },
  {
    id: 'tasks-only',
    title: 'Calls of tools that require a task, by a client that requests no task',
    group,
    between: (_, server) =>
      server.tasks === 'none'
        ? nothing("the server's revision has none")
        : changed(
            'the bridge requests a task and waits for its end. Its progress, or otherwise its `statusMessage`, becomes progress of the call',
          ),
  },
  {
    id: 'tasks-methods',
    title: 'The methods of one task',
    group,
    between: (client, server) => {
      if (isKept(client, server))
        return changed(
          'the bridge answers. Input requests of the task become requests, and their responses `tasks/update`',
        );
      if (isOfCore(client, server))
        return changed('`tasks/get` has the result, or the requests from `tasks/result`, which `tasks/update` answers');
      return isSame(client, server) ? carried : refused('methodNotFound', whyNone(client, server));
    },
  },
  {
    id: 'tasks-list',
    title: '`tasks/list`, if the server can tell the clients of the bridge apart',
    group,
    between: (client, server) => {
      if (isSame(client, server) && client.tasks === 'core') return carried;
      if (isKept(client, server))
        return refused('methodNotFound', 'without `tasks.store`; with one the bridge lists the tasks that it keeps');
      return refused(
        'methodNotFound',
        client.tasks === 'core' ? whyNone(client, server) : "the client's revision has none",
      );
    },
  },
  {
    id: 'tasks-notices',
    title: 'Status notifications of tasks',
    group,
    between: (client, server) =>
      isKept(client, server)
        ? changed('the bridge creates them when it sees a change of the task')
        : isOfCore(client, server)
          ? changed('the bridge polls the task, and notifies subscribers')
          : ofServer(client, server, 'left out; no client has a task'),
  },
  {
    id: 'tasks-progress',
    title: 'Progress of a call that became a task of its client',
    group,
    between: (client, server) => {
      if (server.tasks !== 'core') return nothing("the server's revision has none beside the status of a task");
      if (client.tasks === 'none') return nothing('no client has a task');
      return isSame(client, server) ? carried : changed('the status message, until the server sends another');
    },
  },
  {
    id: 'tasks-immediate',
    title: 'The text for the model while a task runs',
    group,
    between: (client, server) => {
      if (server.tasks !== 'core') return nothing("the server's revision has none");
      if (client.tasks === 'none') return nothing('no client has a task');
      return isSame(client, server) ? carried : changed("left out; the client's revision has none");
    },
  },
  {
    id: 'tasks-asked',
    title: 'A task request from the server to the client',
    group,
    between: (client, server) => {
      if (server.tasks !== 'core') return nothing("the server's revision has none");
      return isSame(client, server)
        ? carried
        : changed(`left out, and sent as a plain request; ${missingAt(client, 'client')}`);
    },
  },
  {
    id: 'tasks-results',
    title: 'Results that are tasks, without a request for a task',
    group,
    between: (_, server) =>
      server.tasks === 'extension'
        ? refused('internalError', 'the client did not declare support for tasks')
        : nothing("the server's revision has none"),
  },
];

/** Tells whether two revisions have tasks in the same form. */
function isSame(client: Revision, server: Revision): boolean {
  return client.tasks !== 'none' && client.tasks === server.tasks;
}

/** Tells whether the bridge keeps the tasks of the client itself, before a server that has them as an extension. */
function isKept(client: Revision, server: Revision): boolean {
  return client.tasks === 'core' && server.tasks === 'extension';
}

/** Tells whether a client of the extension stands before a server that has tasks in its core, for which the bridge speaks both forms. */
function isOfCore(client: Revision, server: Revision): boolean {
  return client.tasks === 'extension' && server.tasks === 'core';
}

/** A cell of what a server says of tasks: it is carried to clients that have them in the same form. */
function ofServer(client: Revision, server: Revision, left: string): Fidelity {
  if (server.tasks === 'none') return nothing("the server's revision has none");
  return isSame(client, server) ? carried : changed(left);
}

function missingAt({ tasks }: Revision, who: 'client' | 'server'): string {
  return tasks === 'none' ? `the ${who}'s revision has none` : `the ${who}'s revision has tasks in another form`;
}

function whyNone(client: Revision, server: Revision): string {
  return client.tasks === 'none' ? missingAt(client, 'client') : missingAt(server, 'server');
}
