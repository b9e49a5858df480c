import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FoldedJson } from '../json/json-view.tsx';
import { ChoiceButtons, CopyButton } from '../parts.tsx';
import { line, plain, size, textValue } from '../plain.ts';
import { api, chosen, chosenServer, problem, tab, messageOf } from '../state.ts';
import { SearchableText } from './lines.tsx';
import { Markdown } from './markdown.tsx';

type Fields = Readonly<Record<string, unknown>>;

/** Types of images that are shown: such as hold pixels alone. */
const raster = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;
const base64 = /^[A-Za-z0-9+/=\s]*$/;

/** Longest text that is shown whole, in characters. */
const longest = 100_000;

/** A block of content as what it is; nothing that it names is fetched. */
export function ContentView({ block }: { readonly block: unknown }): JSX.Element {
  const fields: Fields = typeof block === 'object' && block !== null ? { ...block } : {};
  const { type, text, data, mimeType } = fields;
  if (type === 'text' && typeof text === 'string') return <TextBlock text={text} />;
  if (type === 'image' && typeof data === 'string')
    return <ImageBlock data={data} mimeType={textValue(mimeType) ?? ''} />;
  if (type === 'audio' && typeof data === 'string')
    return <AudioBlock data={data} mimeType={textValue(mimeType) ?? ''} />;
  if (type === 'resource_link') return <Link fields={fields} />;
  if (type === 'resource') return <Resource resource={fields['resource']} />;
  return (
    <div class="block">
      <FoldedJson text={JSON.stringify(block) ?? 'null'} label="Block of content" />
    </div>
  );
}

function TextBlock({ text }: { readonly text: string }): JSX.Element {
  const looksMarked = /(?:^|\n)(?:#{1,6} |[-*>] |```)/.test(text) || text.includes('**') || text.includes('](');
  const isJson = /^\s*[{[]/.test(text);
  const [view, setView] = useState<'text' | 'markdown' | 'json'>('text');
  const cut = text.slice(0, longest);
  return (
    <div class="block">
      <span class="block-bar">
        {(looksMarked || isJson) && (
          <ChoiceButtons
            label="View of the text"
            of={[
              ['text', 'Text'],
              ...(looksMarked ? [['markdown', 'Markdown'] as const] : []),
              ...(isJson ? [['json', 'JSON'] as const] : []),
            ]}
            value={view}
            onChoose={setView}
          />
        )}
        <CopyButton text={text} what="text" />
      </span>
      {view === 'text' &&
        (cut.length < text.length ? (
          <SearchableText text={text} label="Text" />
        ) : (
          <pre class="text">{plain(text)}</pre>
        ))}
      {view === 'markdown' && <Markdown text={cut} />}
      {view === 'json' && <FoldedJson text={text} label="Text as JSON" />}
    </div>
  );
}

function ImageBlock({ data, mimeType }: { readonly data: string; readonly mimeType: string }): JSX.Element {
  if (!raster.test(mimeType) || !base64.test(data)) return <Blob what="image" data={data} mimeType={mimeType} />;
  return (
    <figure class="block">
      <img src={`data:${mimeType};base64,${data}`} alt="" />
      <figcaption class="muted">
        {mimeType}, {size(Math.floor((data.length * 3) / 4))}
      </figcaption>
    </figure>
  );
}

function AudioBlock({ data, mimeType }: { readonly data: string; readonly mimeType: string }): JSX.Element {
  if (!/^audio\/[\w.+-]+$/.test(mimeType) || !base64.test(data))
    return <Blob what="audio" data={data} mimeType={mimeType} />;
  return (
    <figure class="block">
      <audio controls src={`data:${mimeType};base64,${data}`} />
      <figcaption class="muted">{mimeType}</figcaption>
    </figure>
  );
}

function Blob({
  what,
  data,
  mimeType,
}: {
  readonly what: string;
  readonly data: string;
  readonly mimeType: string;
}): JSX.Element {
  return (
    <p class="block muted">
      {what} of type {line(mimeType, 60)}, {size(Math.floor((data.length * 3) / 4))}, not shown{' '}
      <CopyButton text={data} what="base64" />
    </p>
  );
}

function Link({ fields }: { readonly fields: Fields }): JSX.Element {
  const uri = String(fields['uri']);
  const open = async (): Promise<void> => {
    try {
      await api.post('call', { server: chosenServer.value, kind: 'resource', name: uri, text: '{}' });
      chosen.value = { ...chosen.value, resources: uri };
      tab.value = 'resources';
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <p class="block">
      <span class="mark">link</span> {line(textValue(fields['title']) ?? textValue(fields['name']) ?? '')}{' '}
      <code>{line(uri, 300)}</code>{' '}
      <button type="button" class="small" onClick={() => void open()}>
        Read
      </button>
    </p>
  );
}

function Resource({ resource }: { readonly resource: unknown }): JSX.Element {
  const { uri, text, blob, mimeType }: Fields =
    typeof resource === 'object' && resource !== null ? { ...resource } : {};
  return (
    <div class="block">
      <p>
        <span class="mark">resource</span> <code>{line(String(uri), 300)}</code>{' '}
        <span class="muted">{line(textValue(mimeType) ?? '', 60)}</span>
      </p>
      {typeof text === 'string' && <TextBlock text={text} />}
      {typeof blob === 'string' &&
        (raster.test(textValue(mimeType) ?? '') ? (
          <ImageBlock data={blob} mimeType={textValue(mimeType) ?? ''} />
        ) : (
          <Blob what="bytes" data={blob} mimeType={textValue(mimeType) ?? 'unknown'} />
        ))}
    </div>
  );
}
