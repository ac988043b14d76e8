import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { count, listed } from '../../lib/text/count.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import type { TestCase } from '../../scenario/index.ts'
import { type Diagnostic, InvalidInput } from '../../source/index.ts'
import { nothingRan } from './read-tests.ts'

/** Which of the tests of the files are wanted. */
export interface TestSelection {
  /** Part of a name or an id. */
  readonly name?: string | undefined
  /** A test with one of them is wanted. */
  readonly tags?: readonly string[] | undefined
}

/**
 * The wanted tests, in order. Where tests say `only: true`, of the wanted ones those alone, with a warning.
 * @throws CallwrightError `invalid` when there are none, and in CI where a test says `only: true`
 */
export function selectTests(
  tests: readonly TestCase[],
  { name, tags }: TestSelection,
  { env, output }: Pick<Context, 'env' | 'output'>,
): readonly TestCase[] {
  const wanted = tests.filter(
    test => (name === undefined || isNamed(test, name)) && (tags === undefined || hasTag(test, tags)),
  )
  if (wanted.length === 0) throw nothingSelected(tests, { name, tags })
  const alone = wanted.filter(({ only }) => only)
  if (alone.length === 0) return wanted
  const { CI = '' } = env
  if (CI !== '') throw new InvalidInput(alone.map(onlyFinding), nothingRan)
  const others = wanted.length - alone.length
  const files = listed([...new Set(alone.map(({ file }) => file))])
  if (others > 0)
    output.warn(`only is set in ${files}: ${count(others, 'other test is', 'other tests are')} not run`)
  return alone
}

function isNamed({ name, id }: TestCase, wanted: string): boolean {
  const part = fold(wanted)
  return fold(name).includes(part) || fold(id).includes(part)
}

function hasTag(test: TestCase, tags: readonly string[]): boolean {
  return test.tags.some(tag => tags.some(wanted => fold(wanted) === fold(tag)))
}

/** As a person takes them for the same. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

function nothingSelected(tests: readonly TestCase[], { name, tags }: TestSelection): CallwrightError {
  if (tests.length === 0) {
    return new CallwrightError('invalid', 'there is no test', {
      hint: 'tests stand in files such as tests/hours.test.yaml; callwright init writes some',
    })
  }
  const wished = [
    ...(name === undefined ? [] : [`the name ${JSON.stringify(name)}`]),
    ...(tags === undefined ? [] : [`the tag ${tags.map(tag => JSON.stringify(tag)).join(' or ')}`]),
  ].join(' and ')
  const known = [...new Set(tests.flatMap(test => test.tags))]
  const missing = tags?.find(tag => !tests.some(test => hasTag(test, [tag])))
  const near =
    missing === undefined
      ? name === undefined
        ? []
        : nearNames(
            name,
            tests.map(test => test.name),
          )
      : nearNames(missing, known)
  const message = `none of ${count(tests.length, 'test')} has ${wished}`
  return new CallwrightError('invalid', message, { hint: hintOf(near, missing === undefined, known) })
}

function hintOf(near: readonly string[], isName: boolean, tags: readonly string[]): string | undefined {
  if (near.length > 0) return `did you mean ${near.join(', or ')}?`
  if (isName) return 'a part of the name or id is enough: hours'
  return tags.length === 0 ? 'no test has tags' : `there are ${listed(tags, maxListed, ', and')}`
}

const maxListed = 5

/** The name that was probably meant, and those that have a word near one of the wanted words. */
function nearNames(wanted: string, names: readonly string[]): string[] {
  const meant = didYouMean(wanted, names)
  const words = fold(wanted).split(' ')
  const withWord = names.filter(name => {
    const own = fold(name).split(/[^\p{L}\p{N}]+/u)
    return words.some(word => word.length > 2 && didYouMean(word, own) !== undefined)
  })
  return [...new Set([...(meant === undefined ? [] : [meant]), ...withWord])].slice(0, maxNear)
}

const maxNear = 3

function onlyFinding({ place: { file, path, position } }: TestCase): Diagnostic {
  return {
    code: 'only-in-ci',
    severity: 'error',
    file,
    path,
    position,
    at: 'value',
    message: 'only is set: in CI the other tests would not be run',
    hint: 'take only out; -t runs one test',
  }
}
