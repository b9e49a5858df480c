/** The lines of tasks, which two revisions have in forms of their own. */

import type { Revision } from '../protocol/revision.ts';
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
          'without `list`, on the connection that a session has of its own; what the client hosts is carried, under ids of the bridge',
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
      if (isKept(client, server)) return changed('kept by the bridge; the call goes up with the extension declared');
      return isSame(client, server) ? carried : changed(`left out; ${missingAt(server, 'server')}`);
    },
  },
  {
    id: 'tasks-created',
    title: 'Calls that become tasks, under ids of the bridge',
    group,
    between: (client, server) => {
      if (isKept(client, server)) return changed('the bridge keeps a task of its own, and follows that of the server');
      if (isOfCore(client, server))
        return changed(
          'flat, with the other names of its times; asked for by the bridge for `required` tools, and with `tasks: always` for `optional` ones',
        );
      return isSame(client, server) ? carried : nothing('the server is asked for none');
    },
  },
  {
    id: 'tasks-only',
    title: 'Calls of tools that run as tasks alone, by a client that asks for no task',
    group,
    between: (_, server) =>
      server.tasks === 'none'
        ? nothing("the server's revision has none")
        : changed(
            'asked for as a task by the bridge, which waits for its end; its progress is that of the call, else `statusMessage` is',
          ),
  },
  {
    id: 'tasks-methods',
    title: 'The methods of one task',
    group,
    between: (client, server) => {
      if (isKept(client, server))
        return changed('answered by the bridge; what the task asks are requests, their answers `tasks/update`');
      if (isOfCore(client, server))
        return changed('`tasks/get` has the result, or what `tasks/result` asks, which `tasks/update` answers');
      return isSame(client, server) ? carried : refused('methodNotFound', whyNone(client, server));
    },
  },
  {
    id: 'tasks-list',
    title: '`tasks/list`, where the server tells the clients of the bridge apart',
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
    title: 'Notices of how a task stands',
    group,
    between: (client, server) =>
      isKept(client, server)
        ? changed('made by the bridge of what it sees of the task')
        : isOfCore(client, server)
          ? changed('the bridge looks how the task stands, and tells who listens')
          : ofServer(client, server, 'left out; no client was given a task'),
  },
  {
    id: 'tasks-progress',
    title: 'Progress of a call that became a task of its client',
    group,
    between: (client, server) => {
      if (server.tasks !== 'core') return nothing("the server's revision has none beside the status of a task");
      if (client.tasks === 'none') return nothing('no client was given a task');
      return isSame(client, server) ? carried : changed('the status message, until the server says another');
    },
  },
  {
    id: 'tasks-immediate',
    title: 'The text that a model may be told while a task runs',
    group,
    between: (client, server) => {
      if (server.tasks !== 'core') return nothing("the server's revision has none");
      if (client.tasks === 'none') return nothing('no client was given a task');
      return isSame(client, server) ? carried : changed("left out; the client's revision has none");
    },
  },
  {
    id: 'tasks-asked',
    title: 'The wish of a server that its client answers as a task',
    group,
    between: (client, server) => {
      if (server.tasks !== 'core') return nothing("the server's revision has none");
      return isSame(client, server) ? carried : changed(`left out, and asked plainly; ${missingAt(client, 'client')}`);
    },
  },
  {
    id: 'tasks-results',
    title: 'Results that are tasks, unasked',
    group,
    between: (_, server) =>
      server.tasks === 'extension'
        ? refused('internalError', 'the client did not declare that it takes tasks')
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
