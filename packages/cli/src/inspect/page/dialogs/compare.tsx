import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonView as Json } from '../../view.ts';
import { differingPlaces, type DifferingPlace } from '../json/differences.ts';
import { line, textValue } from '../plain.ts';
import { lists, serverNameOf, servers } from '../state.ts';

/** Two servers side by side: what each has alone, and what differs, field by field. */
export function Compare(): JSX.Element {
  const ids = [...servers.value.keys()];
  const [one, setOne] = useState(ids[0] ?? '');
  const [two, setTwo] = useState(ids[1] ?? '');
  const names = [one, two] as const;
  return (
    <div class="compare">
      <h2>Compare</h2>
      <Pick label="One" ids={ids} value={one} onPick={setOne} />
      <Pick label="Other" ids={ids} value={two} onPick={setTwo} />
      <Differences name="the servers" left={[factsOf(one)]} right={[factsOf(two)]} names={names} />
      {(['tools', 'prompts', 'resources', 'templates'] as const).map((list) => (
        <Differences
          key={list}
          name={list}
          left={lists.value.get(one)?.[list] ?? []}
          right={lists.value.get(two)?.[list] ?? []}
          names={names}
        />
      ))}
    </div>
  );
}

/** Words of a server on itself, as one thing that is compared. */
function factsOf(id: string): Json {
  const { revision, info, capabilities, instructions } = servers.value.get(id) ?? {};
  return { name: 'what they say of themselves', revision, info, capabilities, instructions };
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
      {label}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {ids.map((id) => (
          <option key={id} value={id}>
            {id} {line(serverNameOf(id), 40)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SidesOfLists {
  readonly name: string;
  readonly left: readonly Json[];
  readonly right: readonly Json[];
  readonly names: readonly [string, string];
}

function keyOf(item: Json): string {
  return textValue(item['uri']) ?? textValue(item['uriTemplate']) ?? textValue(item['name']) ?? '';
}

function Differences({ name, left, right, names }: SidesOfLists): JSX.Element {
  const own = new Map(left.map((item) => [keyOf(item), item]));
  const other = new Map(right.map((item) => [keyOf(item), item]));
  const both = [...own].flatMap(([key, item]) => {
    const theirs = other.get(key);
    const places = theirs === undefined ? [] : differingPlaces(item, theirs);
    return places.length === 0 ? [] : [{ key, places }];
  });
  const onlyOwn = [...own.keys()].filter((key) => !other.has(key));
  const onlyOther = [...other.keys()].filter((key) => !own.has(key));
  const count = both.length + onlyOwn.length + onlyOther.length;
  return (
    <section>
      <h3>
        {name}: {count === 0 ? 'the same' : `${count} differ`}
      </h3>
      <ul>
        {onlyOwn.map((key) => (
          <li key={`- ${key}`}>{line(`− ${key}: only ${names[0]}`, 200)}</li>
        ))}
        {onlyOther.map((key) => (
          <li key={`+ ${key}`}>{line(`+ ${key}: only ${names[1]}`, 200)}</li>
        ))}
        {both.map(({ key, places }) => (
          <li key={`~ ${key}`}>
            <details>
              <summary>
                {line(`~ ${key}: ${places.length} ${places.length === 1 ? 'field differs' : 'fields differ'}`, 200)}
              </summary>
              <Places places={places} names={names} />
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Places({
  places,
  names,
}: {
  readonly places: readonly DifferingPlace[];
  readonly names: readonly [string, string];
}): JSX.Element {
  return (
    <ul class="places">
      {places.map((place) => (
        <li key={place.path}>
          <code>{line(place.path, 200)}</code>
          <div class="place-sides">
            <Value name={names[0]} has={'one' in place} value={place.one} />
            <Value name={names[1]} has={'other' in place} value={place.other} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Value({
  name,
  has,
  value,
}: {
  readonly name: string;
  readonly has: boolean;
  readonly value: unknown;
}): JSX.Element {
  return (
    <span>
      <b class={`s-${name}`}>{name}</b>{' '}
      {has && value !== undefined ? (
        <code>{line(JSON.stringify(value) ?? 'null', 400)}</code>
      ) : (
        <span class="muted">has none</span>
      )}
    </span>
  );
}
