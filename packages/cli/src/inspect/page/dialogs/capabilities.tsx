import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { clientCapabilities, type ClientCapability } from '../../view.ts';
import { line, textValue } from '../plain.ts';
import { act, lists, server } from '../state.ts';

const meanings: Readonly<Record<ClientCapability, string>> = {
  elicitation: 'the server may ask you for forms and pages',
  sampling: 'the server may ask for answers of a model',
  roots: 'the server may see the folders that you name',
  tasks: 'its questions may be answered as tasks',
  apps: 'its apps are shown (MCP Apps)',
};

/** Capabilities that are declared to the chosen server, and what it offers to a client that has them. */
export function CapabilitiesPanel(): JSX.Element {
  const view = server.value;
  const own = lists.value.get(view?.id ?? '');
  const names = (own?.tools ?? []).map((tool) => textValue(tool['name']) ?? '');
  const [before] = useState(names);
  if (view === undefined || view.state === 'recording') return <p class="empty">Select a server.</p>;
  const { id, declares } = view;
  const set = (name: ClientCapability, on: boolean): void =>
    void act('declare', { server: id, declares: [...declares.filter((one) => one !== name), ...(on ? [name] : [])] });
  const [more, fewer] = [
    names.filter((name) => !before.includes(name)),
    before.filter((name) => !names.includes(name)),
  ];
  return (
    <div>
      <h2>Capabilities declared to {line(view.name, 60)}</h2>
      <p class="muted">A change connects again. Some servers offer other tools then.</p>
      {clientCapabilities.map((name) => (
        <p key={name} class="capability">
          <label class="again">
            <input
              type="checkbox"
              checked={declares.includes(name)}
              onChange={({ currentTarget }) => set(name, currentTarget.checked)}
            />
            {name}
          </label>{' '}
          <span class="muted">{meanings[name]}</span>
        </p>
      ))}
      <p role="status">
        {view.state === 'connected'
          ? `It offers ${names.length} tools, ${own?.prompts.length ?? 0} prompts and ${own?.resources.length ?? 0} resources.`
          : view.state}
      </p>
      {more.length > 0 && <p class="good">+ {line(more.join(', '), 400)}</p>}
      {fewer.length > 0 && view.state === 'connected' && <p class="bad">− {line(fewer.join(', '), 400)}</p>}
    </div>
  );
}
