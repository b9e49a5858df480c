/** The lines of what happens beside the answers: while a call runs, and when something changes. */

import { byFact, carried, changed, type Feature } from './cells.ts';

const group = 'Notifications';

/** One line for each of these. */
export const callFeatures: readonly Feature[] = [
  { id: 'progress', title: 'Progress', group, between: () => carried },
  {
    id: 'logging-level',
    title: 'The log level',
    group,
    between: (client, server) => {
      if (client.logging === server.logging) return carried;
      return client.logging === 'session'
        ? changed('the level of the session goes with each of its requests')
        : changed("the bridge sets the request's level first, on a separate connection");
    },
  },
  { id: 'logging-messages', title: 'Log messages', group, between: () => carried },
  {
    id: 'cancellation',
    title: 'Cancellation of requests, with the reason that a notification gives',
    group,
    between: (client, server) =>
      client.httpCancellation === server.httpCancellation
        ? carried
        : changed('over HTTP, the bridge converts between a closed response stream and a notification'),
  },
  {
    id: 'resource-subscriptions',
    title: 'Subscriptions to a resource',
    group,
    between: byFact(({ subscribing }) => subscribing === 'listen', {
      neither: carried,
      both: carried,
      server: changed('`resources/subscribe` becomes a listen stream'),
      client: changed('a listen stream becomes `resources/subscribe`, on a connection of its own'),
    }),
  },
  {
    id: 'list-changes',
    title: 'Changes of the lists of tools, prompts and resources',
    group,
    between: byFact(({ subscribing }) => subscribing === 'listen', {
      neither: carried,
      both: carried,
      server: changed('from a listen stream of the bridge to every session, without a subscription'),
      client: changed('sent on the listen streams that subscribed to them'),
    }),
  },
];
