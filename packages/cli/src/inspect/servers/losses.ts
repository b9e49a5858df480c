import type { Client } from '../../../../parley/src/client/api/client.ts';
import { throughBridge } from '../../compatibility/offered.ts';
import type { Offer } from '../../compatibility/offer.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import type { ListName, ListsView, LossesView } from '../view.ts';

/** Losses of clients of other revisions through a bridge before a server, by what it declares and lists. */
export function lossesOf(
  { revision: date, capabilities }: Pick<Client, 'revision' | 'capabilities'>,
  { tools, prompts, resources, templates, pages }: ListsView,
): readonly LossesView[] {
  const revision = revisionOf(date);
  if (revision === undefined) return [];
  // What the lists hold was read as what it is there.
  const listed = <Item>(items: readonly unknown[], name: ListName): { items: readonly Item[]; more: boolean } => ({
    items: items as readonly Item[],
    more: pages[name]?.hasMore === true,
  });
  const offer: Offer = {
    revision: revision.date,
    capabilities,
    tools: listed(tools, 'tools'),
    prompts: listed(prompts, 'prompts'),
    resources: listed(resources, 'resources'),
    resourceTemplates: listed(templates, 'templates'),
  };
  return throughBridge(revision, offer).map(({ client, server, losses }) => ({
    client,
    server,
    changed: losses.filter(({ kind }) => kind === 'changed').length,
    refused: losses.filter(({ kind }) => kind === 'refused').length,
    losses: losses.map(({ title, group, kind, why, seen }) => ({ title, group, kind, why, ...(seen ? { seen } : {}) })),
  }));
}
