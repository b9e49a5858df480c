import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FoldedJson } from '../json/json-view.tsx';
import { ChoiceButtons } from '../parts.tsx';
import { line } from '../plain.ts';

type TableRow = Readonly<Record<string, unknown>>;

/** Most rows and columns of a table. */
const most = { rows: 500, columns: 30 };

/** Structured content: as a table where it is a list of objects, or has one; as a tree. */
export function StructuredView({ value }: { readonly value: unknown }): JSX.Element {
  const table = rowsIn(value);
  const [view, setView] = useState<'table' | 'tree'>(table === undefined ? 'tree' : 'table');
  return (
    <div class="block">
      <span class="block-bar">
        <span class="mark">structured content</span>
        {table !== undefined && (
          <ChoiceButtons
            label="View of the structured content"
            of={[
              ['table', 'Table'],
              ['tree', 'Tree'],
            ]}
            value={view}
            onChoose={setView}
          />
        )}
      </span>
      {view === 'table' && table !== undefined ? (
        <Table rows={table} />
      ) : (
        <FoldedJson text={JSON.stringify(value) ?? 'null'} label="Structured content" />
      )}
    </div>
  );
}

function rowsIn(value: unknown): readonly TableRow[] | undefined {
  if (isRows(value)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const rows = Object.values(value).filter(isRows);
  return rows.length === 1 ? rows[0] : undefined;
}

function isRows(value: unknown): value is readonly TableRow[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.slice(0, most.rows).every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
  );
}

function Table({ rows }: { readonly rows: readonly TableRow[] }): JSX.Element {
  const columns = [...new Set(rows.slice(0, most.rows).flatMap((row) => Object.keys(row)))].slice(0, most.columns);
  return (
    <div class="table" role="region" aria-label="Structured content as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {line(name, 60)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most.rows).map((row, at) => (
            <tr key={at}>
              {columns.map((name) => (
                <td key={name}>{Object.hasOwn(row, name) ? cell(row[name]) : ''}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most.rows && <p class="muted">{rows.length - most.rows} rows more: see the tree</p>}
    </div>
  );
}

function cell(value: unknown): string {
  return line(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), 300);
}
