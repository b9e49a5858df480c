import type { JSX } from 'preact';
import type { JsonView as Json } from '../../view.ts';
import { ArgumentsField } from '../arguments.tsx';
import { completions } from '../completions.ts';
import { useDraft } from '../drafts.ts';
import { shortened, line, textValue } from '../plain.ts';
import { act, calls, chosenServer, lists, server } from '../state.ts';
import { ListedItem } from './listed.tsx';
import { ListPages } from './pages.tsx';
import { Picker, whyEmpty } from './picker.tsx';
import { CallResult } from './result.tsx';
import { NameAndTitle, WorkPlace } from './work.tsx';

/** Prompts of a server: their arguments complete as you type. */
export function Prompts(): JSX.Element {
  const own = lists.value.get(chosenServer.value);
  const items = (own?.prompts ?? []).map((prompt) => ({
    key: textValue(prompt['name']) ?? '',
    name: textValue(prompt['name']) ?? '',
    title: textValue(prompt['title']),
    words: textValue(prompt['description']) ?? '',
    marks: (server.value?.news ?? []).includes(`prompts ${String(prompt['name'])}`) ? ['changed'] : [],
  }));
  return (
    <Picker
      of="prompts"
      items={items}
      empty={whyEmpty('prompts')}
      more={<ListPages of={['prompts']} />}
      show={(name) => {
        const prompt = own?.prompts.find((one) => one['name'] === name);
        return prompt === undefined ? null : <Prompt key={`${chosenServer.value} ${name}`} prompt={prompt} />;
      }}
    />
  );
}

function Prompt({ prompt }: { readonly prompt: Json }): JSX.Element {
  const name = textValue(prompt['name']) ?? '';
  const id = chosenServer.value;
  const [text, setText] = useDraft(`${id} prompt ${name}`);
  const last = [...calls.value.values()].findLast(
    (call) => call.server === id && call.kind === 'prompt' && call.name === name,
  );
  const get = (): void => void act('call', { server: id, kind: 'prompt', name, text: text === '' ? '{}' : text });
  return (
    <WorkPlace
      onCall={get}
      bar={
        <button type="button" class="main" disabled={server.value?.state !== 'connected'} onClick={get}>
          Get <kbd>Ctrl Enter</kbd>
        </button>
      }
      side={last !== undefined && <CallResult key={last.id} call={last} isRunning={last.state === 'running'} />}
    >
      <h2>
        <NameAndTitle name={line(name)} title={line(textValue(prompt['title']) ?? '')} />
      </h2>
      <p class="description">{shortened(textValue(prompt['description']) ?? '')}</p>
      <ArgumentsField
        schema={schemaOf(prompt['arguments'])}
        text={text}
        onText={setText}
        problems={[]}
        label={`Arguments of ${name}`}
        complete={completions(id, { type: 'ref/prompt', name }, text)}
      />
      <ListedItem item={prompt} />
    </WorkPlace>
  );
}

/** Arguments of a prompt as a schema: each is a text. */
function schemaOf(given: unknown): Json {
  const known = Array.isArray(given) ? given.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(
      known.map((one) => [
        String(one['name']),
        { type: 'string', title: one['title'], description: one['description'] },
      ]),
    ),
    required: known.filter((one) => one['required'] === true).map((one) => String(one['name'])),
  };
}
