/** The fewest characters of an id: 64 random bits in base64 have as many. */
const fewest = 11;

/** Tells why ids that were made one after the other can be guessed; `undefined` where they do not look so. */
export function looksGuessable(ids: readonly string[]): string | undefined {
  const varying = withoutCommon(ids);
  if (varying.every((part) => /^\d{1,12}$/.test(part)) && isCounting(varying.map(Number)))
    return `the ids count: ${ids.join(', ')}`;
  const shortest = Math.min(...ids.map(({ length }) => length));
  return shortest < fewest ? `an id of ${shortest} characters can be guessed` : undefined;
}

/** Texts without what all of them begin and end with. */
function withoutCommon(texts: readonly string[]): readonly string[] {
  const [first = ''] = texts;
  let start = 0;
  while (start < first.length && texts.every((text) => text[start] === first[start])) start++;
  let end = 0;
  while (
    end < first.length - start &&
    texts.every((text) => text.length - end > start && text.at(-1 - end) === first.at(-1 - end))
  )
    end++;
  return texts.map((text) => text.slice(start, text.length - end));
}

function isCounting(numbers: readonly number[]): boolean {
  return numbers.every(
    (number, at) => at === 0 || (number > (numbers[at - 1] ?? 0) && number - (numbers[at - 1] ?? 0) < 1_000),
  );
}
