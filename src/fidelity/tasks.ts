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
    between: (client, server) => ofServer(client, server, `left out; ${missingAt(client, 'client')}`),
  },
  {
    id: 'tasks-of-clients',
    title: 'The capability `tasks`, or the extension, of the client',
    group,
    between: (client, server) => {
      if (client.tasks === 'none') return nothing("the client's revision has none");
      if (client.tasks === 'core') return changed('left out; the bridge carries no tasks that a client hosts');
      return isSame(client, server) ? carried : changed(`left out; ${missingAt(server, 'server')}`);
    },
  },
  {
    id: 'tasks-parameter',
    title: 'The parameter `task` of a tool call',
    group,
    between: (client, server) => {
      if (client.tasks !== 'core') return nothing("the client's revision has none");
      return isSame(client, server) ? carried : changed(`left out; ${missingAt(server, 'server')}`);
    },
  },
  {
    id: 'tasks-created',
    title: 'Calls that become tasks, under ids of the bridge',
    group,
    between: (client, server) => (isSame(client, server) ? carried : nothing('the server is asked for none')),
  },
  {
    id: 'tasks-only',
    title: 'Calls of tools that run as tasks alone, by a client that asks for no task',
    group,
    between: (_, server) =>
      server.tasks === 'none'
        ? nothing("the server's revision has none")
        : changed('asked for as a task by the bridge, which waits for its end; `statusMessage` becomes progress'),
  },
  {
    id: 'tasks-methods',
    title: 'The methods of one task',
    group,
    between: (client, server) =>
      isSame(client, server) ? carried : refused('methodNotFound', whyNone(client, server)),
  },
  {
    id: 'tasks-list',
    title: '`tasks/list`, where the server tells the clients of the bridge apart',
    group,
    between: (client, server) => {
      if (isSame(client, server) && client.tasks === 'core') return carried;
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
    between: (client, server) => ofServer(client, server, 'left out; no client was given a task'),
  },
  {
    id: 'tasks-asked',
    title: 'The wish of a server that its client answers as a task',
    group,
    between: (_, server) =>
      server.tasks === 'core'
        ? changed('left out, and the client is asked plainly; the bridge declares no tasks that a client hosts')
        : nothing("the server's revision has none"),
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
