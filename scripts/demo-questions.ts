/** The part of the demo in which servers ask: each official client answers in the middle of a call, across the eras. */

import { front, realServers } from '../test/bridge/real-servers.ts';
import { answerMidCall, beyond } from '../test/bridge/visit.ts';
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
        rows.push({ ...row, answered: answeredWords(kinds, beyond(client, server), client.revision), failed: false });
      } catch (error) {
        const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : String(error);
        rows.push({ ...row, answered: reason, failed: true });
      }
    }
    await close();
  }
  return rows;
}

/** How many kinds of question were answered, and which do not exist where the client is. */
export function answeredWords(kinds: number, lacking: readonly string[], revision: string): string {
  const rest =
    lacking.length === 0
      ? ''
      : `; ${lacking.join(' and ')} ${lacking.length === 1 ? 'does' : 'do'} not exist in ${revision}`;
  return `${kinds} of ${kinds}${rest}`;
}
