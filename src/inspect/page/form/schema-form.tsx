import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';

type Keywords = Readonly<Record<string, unknown>>;

/** A form of a JSON Schema. */
export interface SchemaFormProps {
  readonly schema: Keywords | boolean;
  /** JSON of the whole value; empty where nothing was typed. */
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Things that are wrong, by JSON pointers. */
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  /** Name of the form for who cannot see it. */
  readonly label: string;
  readonly disabled?: boolean;
  /** Completions of a field. */
  readonly complete?: (pointer: string, typed: string) => Promise<readonly string[]>;
}

/** Most fields that are drawn. */
const most = 200;

/** Draws a field for each property; what is no simple value is a field of JSON. */
export function SchemaForm({
  schema,
  text,
  onText,
  problems = [],
  label,
  disabled,
  complete,
}: SchemaFormProps): JSX.Element {
  const value = valueOf(text);
  const properties = typeof schema === 'object' ? object(schema['properties']) : {};
  const required = typeof schema === 'object' && Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties).slice(0, most);
  if (value === undefined) return <p class="bad">The JSON is not an object: mend it in the view of JSON.</p>;
  if (names.length === 0) return <p class="muted">It takes no arguments that it names.</p>;
  const set = (name: string, next: unknown): void => {
    const rest = Object.entries(value).filter(([key]) => key !== name);
    onText(JSON.stringify(Object.fromEntries(next === undefined ? rest : [...rest, [name, next]]), undefined, 2));
  };
  return (
    <fieldset class="form" disabled={disabled} aria-label={label}>
      {names.map((name) => (
        <Field
          key={name}
          name={name}
          schema={object(properties[name])}
          value={value[name]}
          isRequired={required.includes(name)}
          problems={problems
            .filter(({ path }) => path === pointer(name) || path.startsWith(`${pointer(name)}/`))
            .map(({ message }) => message)}
          onValue={(next) => set(name, next)}
          complete={complete === undefined ? undefined : (typed) => complete(pointer(name), typed)}
        />
      ))}
      <ul class="problems">
        {problems
          .filter(({ path }) => !names.some((name) => path === pointer(name) || path.startsWith(`${pointer(name)}/`)))
          .map(({ path, message }) => (
            <li key={path + message}>! {message}</li>
          ))}
      </ul>
    </fieldset>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema: Keywords;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly problems: readonly string[];
  readonly onValue: (value: unknown) => void;
  readonly complete: ((typed: string) => Promise<readonly string[]>) | undefined;
}

function Field(props: FieldProps): JSX.Element {
  const { name, schema, isRequired, problems } = props;
  const id = useId();
  const title = typeof schema['title'] === 'string' ? schema['title'] : name;
  const description = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  return (
    <div class="form-field">
      <label for={id}>
        {title.slice(0, 200)}
        {isRequired && <span class="form-required"> required</span>}
      </label>
      <Input {...props} id={id} />
      {description !== undefined && (
        <p class="muted" id={`${id}-about`}>
          {description.slice(0, 2_000)}
        </p>
      )}
      {problems.length > 0 && (
        <p class="bad" id={`${id}-bad`}>
          ! {problems.join('; ')}
        </p>
      )}
    </div>
  );
}

function Input({ id, schema, value, onValue, complete }: FieldProps & { readonly id: string }): JSX.Element {
  const about = { id, 'aria-describedby': `${id}-about ${id}-bad` };
  const options = Array.isArray(schema['enum']) ? schema['enum'].slice(0, 1_000) : undefined;
  const type = schema['type'];
  if (options !== undefined)
    return (
      <select
        {...about}
        value={value === undefined ? '' : JSON.stringify(value)}
        onChange={(event) =>
          onValue(event.currentTarget.value === '' ? undefined : JSON.parse(event.currentTarget.value))
        }
      >
        <option value="">not sent</option>
        {options.map((option) => (
          <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
            {textOf(option)}
          </option>
        ))}
      </select>
    );
  if (type === 'boolean')
    return (
      <select
        {...about}
        value={value === undefined ? '' : textOf(value)}
        onChange={(event) =>
          onValue(event.currentTarget.value === '' ? undefined : event.currentTarget.value === 'true')
        }
      >
        <option value="">not sent</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  if (type === 'number' || type === 'integer')
    return (
      <input
        {...about}
        inputMode="decimal"
        value={value === undefined ? '' : textOf(value)}
        onInput={(event) => onValue(numberOf(event.currentTarget.value))}
      />
    );
  if (type === 'string' || type === undefined)
    return <TextField {...about} value={value} onValue={onValue} complete={complete} />;
  return <JsonField {...about} value={value} onValue={onValue} />;
}

function TextField({
  value,
  onValue,
  complete,
  ...about
}: Pick<FieldProps, 'value' | 'onValue' | 'complete'> & { readonly id: string }): JSX.Element {
  const [offered, setOffered] = useState<readonly string[]>([]);
  const list = `${about.id}-list`;
  return (
    <>
      <input
        {...about}
        list={offered.length > 0 ? list : undefined}
        value={value === undefined ? '' : textOf(value)}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          onValue(typed === '' ? undefined : typed);
          if (complete !== undefined) void complete(typed).then(setOffered);
        }}
      />
      {offered.length > 0 && (
        <datalist id={list}>
          {offered.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

function JsonField({
  value,
  onValue,
  ...about
}: {
  readonly id: string;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(value === undefined ? '' : JSON.stringify(value, undefined, 2));
  return (
    <textarea
      {...about}
      rows={3}
      value={typed}
      placeholder="JSON"
      onInput={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        try {
          onValue(text.trim() === '' ? undefined : JSON.parse(text));
        } catch {
          // It is not whole yet.
        }
      }}
    />
  );
}

function numberOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

function valueOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function object(value: unknown): Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function pointer(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
