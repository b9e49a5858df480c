/** The part of the demo in which servers ask: each official client answers in the middle of a call, across the eras. */

import { front, realServers } from '../test/bridge/real-servers.ts';
import { answerMidCall } from '../test/bridge/visit.ts';
import type { Official } from './demo-clients.ts';

/** What came of the questions of one server to one client. */
export interface Answered {
  readonly server: string;
  /** What the server speaks. */
  readonly behind: string;
  readonly client: string;
  /** What the client speaks. */
  readonly revision: string;
  /** How many kinds of question were answered, or why not. */
  readonly answered: string;
  readonly failed: boolean;
}

/** Has every server ask every client, through a bridge. */
export async function askEverybody(clients: readonly Official[]): Promise<readonly Answered[]> {
  const rows: Answered[] = [];
  for (const server of realServers) {
    const { door, close } = await front(server, 'http');
    for (const client of clients) {
      const row = {
        server: server.name,
        behind: server.revision,
        client: client.name,
        revision: client.revision,
      };
      try {
        const kinds = await answerMidCall(client, door, server);
        rows.push({ ...row, answered: `${kinds} of ${Object.keys(server.questions).length}`, failed: false });
      } catch (error) {
        const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : String(error);
        rows.push({ ...row, answered: reason, failed: true });
      }
    }
    await close();
  }
  return rows;
}
