import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProblemView } from '../view.ts';
import { JsonEditor } from './form/json-editor.tsx';
import { SchemaForm } from './form/schema-form.tsx';
import { ChoiceButtons } from './parts.tsx';

/** Arguments as a form, or as JSON: two views of one text. */
export function ArgumentsField(props: {
  readonly schema: unknown;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly problems: readonly ProblemView[];
  readonly label: string;
  readonly complete?: (pointer: string, typed: string) => Promise<readonly string[]>;
  readonly isTried?: boolean;
  readonly folds?: boolean;
}): JSX.Element {
  const { schema, text, onText, problems, label, complete, isTried = true, folds = false } = props;
  const [view, setView] = useState<'form' | 'json'>('form');
  const usable = typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? { ...schema } : true;
  return (
    <div class="arguments">
      <ChoiceButtons
        label="View of the arguments"
        of={[
          ['form', 'Form'],
          ['json', 'JSON'],
        ]}
        value={view}
        onChoose={setView}
      />
      {view === 'form' ? (
        <SchemaForm
          schema={usable}
          text={text}
          onText={onText}
          problems={problems}
          label={label}
          isTried={isTried}
          folds={folds}
          {...(complete === undefined ? {} : { complete })}
        />
      ) : (
        <JsonEditor text={text} onText={onText} problems={isTried ? problems : []} label={`${label}, as JSON`} />
      )}
    </div>
  );
}

/** Things that are wrong, each with its place. */
export function Problems({ problems }: { readonly problems: readonly ProblemView[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <ul class="problems" role="status">
      {problems.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <span aria-hidden="true">! </span>
          {path !== '' && <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
