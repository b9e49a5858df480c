import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { VirtualList } from '../list.tsx';
import { plain } from '../plain.ts';
import { jsonLines, seenLines, type JsonLine } from './lines.ts';
import { marksOfLines, type JsonMarks, type MarkSign } from './marks.ts';

/** Height of a line, in pixels, and the characters of a piece that are shown. */
const height = 20;
const widest = 1_000;

/** Shows JSON text as folding lines, whatever its size. Other text is shown unchanged. */
export function FoldedJson({
  text,
  label,
  marks,
  first,
}: {
  readonly text: string;
  readonly label: string;
  /** Places that differ from what stands beside it. */
  readonly marks?: JsonMarks | undefined;
  /** Line that is in view at first. */
  readonly first?: number | undefined;
}): JSX.Element {
  const lines = useMemo(() => jsonLines(text), [text]);
  const signs = useMemo(() => (marks === undefined ? [] : marksOfLines(lines, marks)), [lines, marks]);
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const [at, setAt] = useState(-1);
  const seen = useMemo(() => seenLines(lines, folded), [lines, folded]);
  const toggle = (index: number): void => {
    const line = seen[index] ?? 0;
    if (lines[line]?.close === undefined) return;
    const next = new Set(folded);
    if (!next.delete(line)) next.add(line);
    setFolded(next);
  };
  return (
    <VirtualList
      className="json"
      label={label}
      count={seen.length}
      height={height}
      at={at}
      first={first}
      keyOf={(index) => seen[index] ?? index}
      onChoose={setAt}
      onOpen={toggle}
      rowClass={(index) => (signs[seen[index] ?? index] === undefined ? '' : 'marked')}
      cells={(index) => {
        const number = seen[index] ?? 0;
        return <Line line={lines[number]} sign={signs[number]} isFolded={folded.has(number)} />;
      }}
    />
  );
}

function Line(props: {
  readonly line: JsonLine | undefined;
  readonly sign: MarkSign | undefined;
  readonly isFolded: boolean;
}): JSX.Element {
  const { line, sign, isFolded } = props;
  return (
    <span role="gridcell" style={{ paddingLeft: `${(line?.depth ?? 0) * 14 + 16}px` }}>
      <Sign sign={sign} />
      {line?.close !== undefined && <span class="fold">{isFolded ? '▸' : '▾'}</span>}
      {line?.pieces.map((piece, key) => (
        <span key={key} class={`j-${piece.kind}`}>
          {plain(
            piece.text.length > widest
              ? `${piece.text.slice(0, widest)}… (${piece.text.length} characters)`
              : piece.text,
          )}
        </span>
      ))}
      {isFolded && <span class="muted"> … {(line?.members ?? 0) + 1} </span>}
    </span>
  );
}

const meanings: Readonly<Record<MarkSign, string>> = {
  '−': 'only here: ',
  '+': 'only here: ',
  '~': 'other here: ',
  '!': 'wrong here: ',
};

function Sign({ sign }: { readonly sign: MarkSign | undefined }): JSX.Element | null {
  if (sign === undefined) return null;
  return (
    <>
      <b class="line-sign" aria-hidden="true">
        {sign}
      </b>
      <span class="hidden">{meanings[sign]}</span>
    </>
  );
}
