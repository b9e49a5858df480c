import type { JSX } from 'preact';
import type { JsonView as Json } from '../../view.ts';
import { ArgumentsField } from '../arguments.tsx';
import { completions } from '../completions.ts';
import { useDraft } from '../drafts.ts';
import { FactList } from '../parts.tsx';
import { shortened, line, size, textValue } from '../plain.ts';
import { act, calls, chosen, chosenServer, lists, server, updated } from '../state.ts';
import { fillTemplate, templateVariables } from '../template.ts';
import { AppPlace } from '../apps/app-place.tsx';
import { ListedItem } from './listed.tsx';
import { ListPages } from './pages.tsx';
import { Picker, whyEmpty } from './picker.tsx';
import { CallResult } from './result.tsx';
import { NameAndTitle, WorkPlace } from './work.tsx';

/** Resources and templates of a server. */
export function Resources(): JSX.Element {
  const id = chosenServer.value;
  const own = lists.value.get(id);
  const news = server.value?.news ?? [];
  const items = [
    ...(own?.resources ?? []).map((resource) => {
      const uri = String(resource['uri']);
      return {
        key: uri,
        name: textValue(resource['name']) ?? uri,
        title: textValue(resource['title']),
        words: uri,
        marks: [
          ...(server.value?.watched.includes(uri) === true ? ['watched'] : []),
          ...(updated.value.has(`${id} ${uri}`) ? ['updated'] : []),
          ...(news.includes(`resources ${uri}`) ? ['changed'] : []),
        ],
      };
    }),
    ...(own?.templates ?? []).map((template) => ({
      key: String(template['uriTemplate']),
      name: textValue(template['name']) ?? '',
      title: textValue(template['title']),
      words: String(template['uriTemplate']),
      marks: ['template', ...(news.includes(`templates ${String(template['uriTemplate'])}`) ? ['changed'] : [])],
    })),
  ];
  return (
    <Picker
      of="resources"
      items={items}
      empty={whyEmpty('resources')}
      more={<ListPages of={['resources', 'templates']} />}
      show={(key) => {
        const template = own?.templates.find((one) => one['uriTemplate'] === key);
        if (template !== undefined) return <Template key={`${id} ${key}`} template={template} />;
        const resource = own?.resources.find((one) => one['uri'] === key) ?? { uri: key };
        return <OneResource key={`${id} ${key}`} resource={resource} />;
      }}
    />
  );
}

function read(uri: string): void {
  const id = chosenServer.value;
  updated.value = new Set([...updated.value].filter((one) => one !== `${id} ${uri}`));
  void act('call', { server: id, kind: 'resource', name: uri, text: '{}' });
}

function lastRead(uri: string): JSX.Element | null {
  const last = [...calls.value.values()].findLast(
    (call) => call.server === chosenServer.value && call.kind === 'resource' && call.name === uri,
  );
  return last === undefined ? null : <CallResult key={last.id} call={last} isRunning={last.state === 'running'} />;
}

/** The last result of a resource, and its app. */
function sideOf(uri: string): JSX.Element | null {
  if (!uri.startsWith('ui://')) return lastRead(uri);
  return (
    <>
      {lastRead(uri)}
      <AppPlace uri={uri} />
    </>
  );
}

function OneResource({ resource }: { readonly resource: Json }): JSX.Element {
  const uri = String(resource['uri']);
  const view = server.value;
  const isWatched = view?.watched.includes(uri) === true;
  const isUpdated = updated.value.has(`${chosenServer.value} ${uri}`);
  const bytes = resource['size'];
  return (
    <WorkPlace
      bar={
        <>
          <button type="button" class="main" disabled={view?.state !== 'connected'} onClick={() => read(uri)}>
            {isUpdated ? 'Read again: it was updated' : 'Read'}
          </button>
          <button
            type="button"
            aria-pressed={isWatched}
            disabled={view?.state !== 'connected'}
            onClick={() => void act('watch', { server: view?.id ?? '', uri, on: !isWatched })}
          >
            {isWatched ? 'Stop watching' : 'Watch'}
          </button>
        </>
      }
      side={sideOf(uri)}
    >
      <h2>
        <NameAndTitle
          name={line(textValue(resource['name']) ?? uri)}
          title={line(textValue(resource['title']) ?? '')}
        />
      </h2>
      <p class="description">{shortened(textValue(resource['description']) ?? '')}</p>
      <FactList
        rows={[
          ['address', <code key="uri">{line(uri, 500)}</code>],
          ['type', line(textValue(resource['mimeType']) ?? 'not said', 80)],
          ...(typeof bytes === 'number' ? [['size', size(bytes)] as const] : []),
        ]}
      />
      <ListedItem item={resource} />
    </WorkPlace>
  );
}

function Template({ template }: { readonly template: Json }): JSX.Element {
  const uriTemplate = String(template['uriTemplate']);
  const [text, setText] = useDraft(`${chosenServer.value} template ${uriTemplate}`);
  const names = templateVariables(uriTemplate);
  const uri = fillTemplate(uriTemplate, text);
  const open = (): void => {
    read(uri);
    if (lists.value.get(chosenServer.value)?.resources.some((one) => one['uri'] === uri) === true)
      chosen.value = { ...chosen.value, resources: uri };
  };
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  };
  return (
    <WorkPlace
      onCall={open}
      bar={
        <>
          <button type="button" class="main" disabled={server.value?.state !== 'connected'} onClick={open}>
            Read
          </button>
          <code>{line(uri, 300)}</code>
        </>
      }
      side={lastRead(uri)}
    >
      <h2>
        <NameAndTitle
          name={line(textValue(template['name']) ?? uriTemplate)}
          title={line(textValue(template['title']) ?? '')}
        />
      </h2>
      <p class="description">{shortened(textValue(template['description']) ?? '')}</p>
      <p>
        <code>{line(uriTemplate, 500)}</code>
      </p>
      <ArgumentsField
        schema={schema}
        text={text}
        onText={setText}
        problems={[]}
        label={`Variables of ${uriTemplate}`}
        complete={completions(chosenServer.value, { type: 'ref/resource', uri: uriTemplate }, text)}
      />
      <ListedItem item={template} />
    </WorkPlace>
  );
}
