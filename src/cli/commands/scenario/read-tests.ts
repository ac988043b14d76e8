import { dirname } from 'node:path'
import { type Diagnostic, InvalidInput, projectFileName } from '../../../files/source/index.ts'
import { hasErrors, valueError } from '../../../interface/finding.ts'
import { isCi } from '../../../lib/ci.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count, listed } from '../../../lib/text/count.ts'
import { didYouMean } from '../../../lib/text/did-you-mean.ts'
import type { ProjectOf } from '../../../project/resources/index.ts'
import { loadTests, type TestCase } from '../../../scenario/index.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import type { TestOptions } from './flags.ts'

export type ReadTests = Awaited<ReturnType<typeof readTests>>

/** Consequence of an invalid file. */
export const nothingRan = 'no test ran'

/**
 * Reads the tests at the paths, or those of the current project; --repeat and --pass override the files.
 * @throws InvalidInput with the findings of all files if one is invalid, CallyardError `invalid` without a path outside a project
 */
export async function readTests(
  paths: readonly string[],
  { repeat: times, pass = times }: TestOptions,
  context: Context,
  projectOf: ProjectOf,
) {
  const { project, vocabulary } = await context.settings()
  if (paths.length === 0 && project === undefined) {
    const message = `there is no ${projectFileName} here, nor above: no project to test`
    throw new CallyardError('invalid', message, {
      ...suggest`pass test files or a folder: ${['test', '.']}; or create a project: ${['init']}`,
    })
  }
  const named = project === undefined || paths.length > 0 ? paths : [dirname(project.file)]
  const { tests, files, diagnostics } = await loadTests(named, {
    ...context.files,
    vocabulary: vocabulary.value,
    signal: context.signal,
    projectOf,
  })
  if (hasErrors(diagnostics)) throw new InvalidInput(diagnostics, nothingRan)
  for (const { checked } of files) context.willSend(checked)
  const repeat = times === undefined || pass === undefined ? undefined : { times, pass }
  return {
    tests: repeat === undefined ? tests : tests.map(test => ({ ...test, repeat })),
    /** Absolute paths, with includes and row files. */
    files: files.map(({ checked, uses }) => ({ path: checked.source.path, uses })),
    warnings: diagnostics,
  }
}

/**
 * Selects the requested tests in order: by part of a name or id, by tag, and without live tests if `live` is false; or only those with `only: true`, with a warning.
 * @throws CallyardError `invalid` if there are none, and in CI if a test has `only: true`
 */
export function selectTests(
  tests: readonly TestCase[],
  selection: TestOptions,
  { env, output }: Context,
): readonly TestCase[] {
  const { name, tag: tags, skipTag: unwanted = [], live } = selection
  const matchingTests = tests.filter(
    test =>
      (name === undefined || isNamed(test, name)) &&
      (tags === undefined || hasTag(test, tags)) &&
      !hasTag(test, unwanted) &&
      (live !== false || test.model !== 'live'),
  )
  if (matchingTests.length === 0) throw nothingSelected(tests, selection)
  const alone = matchingTests.filter(({ only }) => only)
  if (alone.length === 0) return matchingTests
  if (isCi(env)) throw new InvalidInput(alone.map(onlyFinding), nothingRan)
  const others = matchingTests.length - alone.length
  const files = listed([...new Set(alone.map(({ file }) => file))], maxListed, ', and')
  if (others > 0)
    output.warn(`only is set in ${files}, so ${count(others, 'other test is', 'other tests are')} not run`)
  return alone
}

function isNamed({ name, id }: TestCase, nameArg: string): boolean {
  const part = fold(nameArg)
  return fold(name).includes(part) || fold(id).includes(part)
}

function hasTag(test: TestCase, tags: readonly string[]): boolean {
  return test.tags.some(tag => tags.some(tagArg => fold(tagArg) === fold(tag)))
}

/** Normalizes text for comparison as a person would. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

function nothingSelected(tests: readonly TestCase[], selection: TestOptions): CallyardError {
  const { name, tag: tags, skipTag, live } = selection
  if (tests.length === 0) {
    return new CallyardError('invalid', 'no tests found', {
      hint: 'add a file such as tests/hours.test.yaml, or create examples: callyard init',
    })
  }
  const isNamedOrTagged = (test: TestCase) =>
    (name === undefined || isNamed(test, name)) && (tags === undefined || hasTag(test, tags))
  const matchingTests = tests.filter(isNamedOrTagged)
  if (matchingTests.length > 0) {
    const flags = [...(skipTag === undefined ? [] : ['--skip-tag']), ...(live === false ? ['--no-live'] : [])]
    const verb = flags.length > 1 ? 'leave' : 'leaves'
    const countText = matchingTests.length === 1 ? 'the only test' : `all ${matchingTests.length} tests`
    const left =
      matchingTests.length === tests.length
        ? `${countText} out`
        : `out ${countText} that ${matchingTests.length === 1 ? 'matches' : 'match'}`
    return new CallyardError(
      'invalid',
      `${flags.join(' and ')} ${verb} ${tests.length === 1 ? 'it out' : left}`,
    )
  }
  const wished = [
    ...(name === undefined ? [] : [`the name ${JSON.stringify(name)}`]),
    ...(tags === undefined ? [] : [`the tag ${tags.map(tag => JSON.stringify(tag)).join(' or ')}`]),
  ].join(' and ')
  const allTags = [...new Set(tests.flatMap(test => test.tags))]
  const missing = tags?.find(tag => !tests.some(test => hasTag(test, [tag])))
  const names = missing === undefined ? tests.map(test => test.name) : allTags
  const near = nearNames(missing ?? name ?? '', names)
  const available =
    allTags.length === 0 ? 'no test has tags' : `available: ${listed(allTags, maxListed, ', and')}`
  const other = missing === undefined ? 'a part of the name or id is enough: hours' : available
  const hint = near.length > 0 ? `did you mean ${near.join(', or ')}?` : other
  return new CallyardError('invalid', `none of ${count(tests.length, 'test')} has ${wished}`, { hint })
}

const maxListed = 5

/** Returns the suggestion and names with a word similar to one of the requested words. */
function nearNames(nameArg: string, names: readonly string[]): string[] {
  const suggestion = didYouMean(nameArg, names)
  const words = fold(nameArg).split(' ')
  const withWord = names.filter(name => {
    const own = fold(name).split(/[^\p{L}\p{N}]+/u)
    return words.some(word => word.length > 2 && didYouMean(word, own) !== undefined)
  })
  return [...new Set([...(suggestion === undefined ? [] : [suggestion]), ...withWord])].slice(0, maxNear)
}

const maxNear = 3

function onlyFinding({ location: { file, path, position } }: TestCase): Diagnostic {
  const message = 'only is set: in CI the other tests would not be run'
  const finding = valueError(path, 'only-in-ci', message, 'remove only; to run one test, pass -t')
  return { ...finding, file, position }
}
