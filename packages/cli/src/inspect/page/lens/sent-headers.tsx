import type { JSX } from 'preact';
import type { LensView } from '../../view.ts';
import { plain } from '../plain.ts';

/** Headers of a request over HTTP, as they crossed, and as a client of another revision sends them. */
export function SentHeaders({ headers, to }: Pick<LensView, 'headers' | 'to'>): JSX.Element | null {
  if (headers === undefined) return null;
  const { left, right } = headers;
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (names.length === 0) return null;
  return (
    <table class="sent-headers">
      <caption>Headers over HTTP</caption>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">as it crossed</th>
          <th scope="col">a client of {to} sends</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name} class={left[name] === right[name] ? '' : 'marked'}>
            <th scope="row">{plain(name)}</th>
            <Cell value={left[name]} />
            <Cell value={right[name]} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ value }: { readonly value: string | undefined }): JSX.Element {
  return <td class={value === undefined ? 'muted' : ''}>{value === undefined ? 'not sent' : plain(value)}</td>;
}
