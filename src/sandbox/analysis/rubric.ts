/** How success is told (interface.md 2.4, successEvaluation.rubric). */
interface Rubric {
  /** What the model is asked for, after “Answer with”. */
  readonly answer: string
  /** The result that stands in a model's answer; undefined when there is none. */
  parse(answer: string): string | undefined
  /** By rule, from the share of the caller's lines that were answered, 0 to 1. */
  fromShare(share: number): string
}

/** `NumericScale` is the one that the interface shows; the others are the usual ones. */
const rubrics = {
  NumericScale: {
    answer: 'one whole number from 1 (failed) to 10 (reached its goal in full)',
    parse: answer => numberIn(answer, 1, 10)?.toString(),
    fromShare: share => String(Math.round(1 + 9 * share)),
  },
  PercentageScale: {
    answer: 'one whole number of percent from 0 to 100',
    parse: answer => {
      const percent = numberIn(answer, 0, 100)
      return percent === undefined ? undefined : `${percent}%`
    },
    fromShare: share => `${Math.round(100 * share)}%`,
  },
  DescriptiveScale: scale(['Poor', 'Fair', 'Good', 'Excellent']),
  LikertScale: scale(['Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree'], answer =>
    answer.replace(/neither agree nor disagree/gi, 'neutral'),
  ),
  PassFail: {
    answer: 'one word, pass or fail',
    parse: answer => wordIn(answer.replace(/\b(pass|fail)ed\b/gi, '$1'), ['pass', 'fail']),
    fromShare: share => (share === 1 ? 'pass' : 'fail'),
  },
} as const satisfies Record<string, Rubric>

/** Characters of an answer in the words of a rubric that the sandbox does not know. */
const maxAnswerLength = 500

/** Without a name it is pass or fail. A name that the sandbox does not know is the model's to interpret. */
export function rubricOf(name: string | undefined): Rubric {
  if (name === undefined) return rubrics.PassFail
  if (Object.hasOwn(rubrics, name)) return rubrics[name as keyof typeof rubrics]
  return {
    ...rubrics.PassFail,
    answer: `an evaluation by the rubric ${name}, as short as possible`,
    parse: answer => (answer.trim() === '' ? undefined : answer.trim().slice(0, maxAnswerLength)),
  }
}

/** Words from the worst to the best. */
function scale(words: readonly string[], normalise = (answer: string) => answer): Rubric {
  return {
    answer: `one of: ${words.join(', ')}`,
    parse: answer => wordIn(normalise(answer), words),
    fromShare: share => words[Math.round(share * (words.length - 1))] ?? '',
  }
}

/** The only such number that is in the text, also as `8/10`, `8 out of 10`, `on a scale of 1 to 10: 8` or `80 %`. */
function numberIn(text: string, least: number, most: number): number | undefined {
  const rest = text
    .replace(/\s+/g, ' ')
    .replace(new RegExp(`(?<![\\d.,])${least} ?(?:-|–|to) ?${most}(?![.,]?\\d)`, 'gi'), ' ')
    .replace(new RegExp(` ?(?:/|out of) ?${most}(?![.,]?\\d)`, 'gi'), ' ')
  const found = [...rest.matchAll(/(?<![\d.,-])\d+(?![.,]?\d)/g)].map(([digits]) => Number(digits))
  const [number] = found
  return number !== undefined && found.length === 1 && number >= least && number <= most ? number : undefined
}

/**
 * The word that the text begins with where it stands alone (`Fail: nobody answered`), else the only one that is in the
 * text; of words that hold each other the longest. A text that denies something (`did not pass`) has none.
 */
function wordIn(text: string, words: readonly string[]): string | undefined {
  const [beginning = ''] = text.trim().split(/[.,:;!?()\n–—]| - /, 1)
  const leading = words.find(word => toWords(word) === toWords(beginning))
  if (leading !== undefined) return leading
  let rest = toWords(text)
  // “didn’t” has become “didn t”.
  if (/ (?:not|no|never|neither|nor|cannot|t) /.test(rest)) return undefined
  const found = words
    .toSorted((one, other) => other.length - one.length)
    .filter(word => {
      const before = rest
      rest = rest.replaceAll(toWords(word), '  ')
      return rest !== before
    })
  return found.length === 1 ? found[0] : undefined
}

/** In small letters, one space around each word. */
function toWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()} `
}
