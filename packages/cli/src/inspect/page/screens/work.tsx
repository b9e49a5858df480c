import type { ComponentChildren, JSX } from 'preact';

/** One thing that is used: what is filled in, the bar with its button, which is always in view, and what came of it. */
export function WorkPlace(props: {
  readonly bar: ComponentChildren;
  readonly side?: ComponentChildren;
  readonly className?: string;
  /** Called by Ctrl Enter. */
  readonly onCall?: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { bar, side, className = '', onCall, children } = props;
  const hasSide = side !== undefined && side !== null && side !== false;
  return (
    <article
      class={`tool ${className}`}
      onKeyDown={(event) => {
        if (onCall === undefined || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onCall();
      }}
    >
      <div class="tool-main">{children}</div>
      <div class="doing tool-bar">{bar}</div>
      {hasSide && <div class="tool-side">{side}</div>}
    </article>
  );
}

/** The name of a thing, with its title beside it where that is another. */
export function NameAndTitle({
  name,
  title,
}: {
  readonly name: string;
  readonly title?: string | undefined;
}): JSX.Element {
  return (
    <>
      {name}
      {title !== undefined && title !== '' && title !== name && <span class="muted title-beside"> {title}</span>}
    </>
  );
}

/** Buttons that are wanted now and then, behind one. */
export function Menu({
  words,
  children,
}: {
  readonly words: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <details
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !event.currentTarget.open) return;
        event.stopPropagation();
        event.currentTarget.open = false;
        event.currentTarget.querySelector('summary')?.focus();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
      }}
    >
      <summary>{words}</summary>
      <div class="menu-body">{children}</div>
    </details>
  );
}
