/** Fields of files, which cross as base64. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useForm, type FieldProps } from './context.ts';
import { Frame } from './frame.tsx';
import { put, remove } from './model/json-edit.ts';
import { valueOf } from './model/json-text.ts';
import { shortText, plural } from './model/hints.ts';
import type { FieldShape } from './model/shape.ts';

/** Bytes of a file at most: a request to the local process holds 20 MiB. */
const mostBytes = 10 * 1024 * 1024;

/** Characters of base64 that are shown and can be edited. */
const maxShown = 20_000;

interface FileProps {
  readonly field: FieldProps;
  readonly shape: FieldShape & { readonly kind: 'file'; readonly mediaType: string | undefined };
}

/** A file, or its base64 as text. */
export function FileField({ field, shape }: FileProps): JSX.Element {
  const form = useForm();
  const [wrong, setWrong] = useState<string>();
  const { node, path, change } = field;
  const value = node?.kind === 'string' ? String(valueOf(form.text, node)) : '';
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > mostBytes) {
      setWrong(`${file.name} has ${plural(file.size, 'byte')}; at most ${plural(mostBytes, 'byte')} are taken.`);
      return;
    }
    try {
      const encoded = await base64Of(file);
      setWrong(undefined);
      change((text) => put(text, path, JSON.stringify(encoded)));
    } catch (error) {
      setWrong(`${file.name} could not be read: ${error instanceof Error ? error.message : 'unknown reason'}`);
    }
  };
  const problems = wrong === undefined ? field.problems : [...field.problems, { steps: [], message: wrong }];
  const size = Math.floor((value.replaceAll(/[=\s]/g, '').length * 3) / 4);
  const kind =
    shape.mediaType === undefined ? 'A file, sent as base64' : `A file of ${shape.mediaType}, sent as base64`;
  return (
    <Frame
      field={{ ...field, problems }}
      shape={shape}
      empty={['""', 'empty file']}
      note={`${kind}${value === '' ? '' : `: ${plural(size, 'byte')}`}.`}
    >
      {(wiring) => (
        <div class="form-file">
          <input
            type="file"
            {...wiring}
            aria-required={undefined}
            disabled={form.disabled}
            accept={shape.mediaType}
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
          <Base64 field={field} value={value} />
        </div>
      )}
    </Frame>
  );
}

/** The base64 itself, as far as a field can show it. */
function Base64({ field, value }: { readonly field: FieldProps; readonly value: string }): JSX.Element {
  const { disabled } = useForm();
  const { path, change, item } = field;
  if (value.length > maxShown)
    return <p class="form-hint">The base64 of {plural(value.length, 'character')} is too long to show.</p>;
  return (
    <textarea
      class="form-input form-json"
      aria-label={`${shortText(field.label, 60)} as base64`}
      placeholder="or base64"
      rows={value.length > 100 ? 3 : 1}
      spellcheck={false}
      disabled={disabled}
      value={value}
      onInput={({ currentTarget }) => {
        const typed = currentTarget.value;
        change((text) => (typed === '' && item !== true ? remove(text, path) : put(text, path, JSON.stringify(typed))));
      }}
    />
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      resolve((typeof reader.result === 'string' ? reader.result : '').replace(/^[^,]*,?/, '')),
    );
    reader.addEventListener('error', () => reject(reader.error ?? new Error('no reason is given')));
    reader.readAsDataURL(file);
  });
}
