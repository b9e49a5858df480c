import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonView as Json } from '../../view.ts';
import { line, textOf } from '../plain.ts';
import { lists, nameOf, servers } from '../state.ts';

/** Two servers side by side: what each has alone, and what differs. */
export function Compare(): JSX.Element {
  const ids = [...servers.value.keys()];
  const [one, setOne] = useState(ids[0] ?? '');
  const [two, setTwo] = useState(ids[1] ?? '');
  return (
    <div class="compare">
      <h2>Compare</h2>
      <Pick label="One" ids={ids} value={one} onPick={setOne} />
      <Pick label="Other" ids={ids} value={two} onPick={setTwo} />
      {(['tools', 'prompts', 'resources', 'templates'] as const).map((list) => (
        <Differences
          key={list}
          name={list}
          left={lists.value.get(one)?.[list] ?? []}
          right={lists.value.get(two)?.[list] ?? []}
          names={[one, two]}
        />
      ))}
    </div>
  );
}

function Pick(props: {
  readonly label: string;
  readonly ids: readonly string[];
  readonly value: string;
  readonly onPick: (id: string) => void;
}): JSX.Element {
  const { label, ids, value, onPick } = props;
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {ids.map((id) => (
          <option key={id} value={id}>
            {id} {line(nameOf(id), 40)}
          </option>
        ))}
      </select>{' '}
    </label>
  );
}

function Differences(props: {
  readonly name: string;
  readonly left: readonly Json[];
  readonly right: readonly Json[];
  readonly names: readonly [string, string];
}): JSX.Element {
  const { name, left, right, names } = props;
  const keyOf = (item: Json): string =>
    textOf(item['uri']) ?? textOf(item['uriTemplate']) ?? textOf(item['name']) ?? '';
  const other = new Map(right.map((item) => [keyOf(item), JSON.stringify(item)]));
  const own = new Map(left.map((item) => [keyOf(item), JSON.stringify(item)]));
  const rows = [
    ...[...own].flatMap(([key, text]) =>
      !other.has(key) ? [`− ${key}: only ${names[0]}`] : other.get(key) === text ? [] : [`~ ${key}: differs`],
    ),
    ...[...other.keys()].flatMap((key) => (own.has(key) ? [] : [`+ ${key}: only ${names[1]}`])),
  ];
  return (
    <section>
      <h3>
        {name}: {rows.length === 0 ? 'the same' : `${rows.length} differ`}
      </h3>
      <ul>
        {rows.map((words) => (
          <li key={words}>{line(words, 200)}</li>
        ))}
      </ul>
    </section>
  );
}
