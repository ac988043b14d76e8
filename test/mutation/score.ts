import type { Equivalent } from './core.ts'

/** A change of the code and what the tests made of it, as Stryker reports it. Lines and columns begin at 1. */
export interface Mutant {
  readonly fileName: string
  readonly status: string
  readonly mutatorName: string
  readonly replacement?: string | undefined
  /** True if the code runs on import: all tests are run then. */
  readonly static?: boolean | undefined
  readonly testsCompleted?: number | undefined
  readonly location: { readonly start: Position; readonly end: Position }
}

interface Position {
  readonly line: number
  readonly column: number
}

export interface Score {
  readonly mutants: number
  readonly noticed: number
  /** Left out: listed as equivalent. */
  readonly equivalent: number
  readonly survivors: readonly Survivor[]
  /** Mutants that are listed as equivalent and did not survive: a test detects them, or the code has changed. */
  readonly stale: readonly Listed[]
  /** Listed mutants whose text occurs in several places: `was` distinguishes them. */
  readonly ambiguous: readonly Listed[]
}

interface Listed {
  readonly file: string
  readonly becomes: string
}

export interface Survivor {
  readonly fileName: string
  readonly line: number
  readonly mutatorName: string
  readonly was: string
  readonly becomes: string
}

/** Counts what the tests noticed, without the mutants that are listed as equivalent. `texts` has the files as they are. */
export function scoreOf(
  mutants: readonly Mutant[],
  equivalents: readonly Equivalent[],
  texts: ReadonlyMap<string, string>,
): Score {
  const listed = equivalents.flatMap(({ file, becomes, was }) =>
    becomes.map(text => ({ file, becomes: text, was, lines: new Set<number>(), survived: false })),
  )
  const survivors: Survivor[] = []
  let noticed = 0
  let equivalent = 0
  const allTests = Math.max(1, ...mutants.filter(isOfImport).map(testsOf))
  for (const mutant of mutants) {
    const { fileName, mutatorName, location } = mutant
    const { was, becomes } = mutatedLines(texts.get(fileName) ?? '', mutant)
    const entry = listed.find(
      candidate =>
        isIn(fileName, candidate.file) && becomes === candidate.becomes && was === (candidate.was ?? was),
    )
    entry?.lines.add(location.start.line)
    // Stryker takes a test file that cannot be loaded for one without tests.
    const unloadable = isOfImport(mutant) && testsOf(mutant) < allTests
    if (mutant.status === 'Killed' || mutant.status === 'Timeout' || unloadable) noticed += 1
    if (unloadable || (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage')) continue
    if (entry === undefined) {
      survivors.push({ fileName, line: location.start.line, mutatorName, was, becomes })
    } else {
      entry.survived = true
      equivalent += 1
    }
  }
  const names = (entries: typeof listed) => entries.map(({ file, becomes }) => ({ file, becomes }))
  return {
    mutants: noticed + survivors.length,
    noticed,
    equivalent,
    survivors,
    stale: names(listed.filter(({ survived }) => !survived)),
    ambiguous: names(listed.filter(({ lines }) => lines.size > 1)),
  }
}

function isOfImport({ status, static: isStatic = false }: Mutant): boolean {
  return status === 'Survived' && isStatic
}

function testsOf({ testsCompleted = 0 }: Mutant): number {
  return testsCompleted
}

/** The lines that a mutant touches, before and after, on one line each. */
export function mutatedLines(
  text: string,
  { location: { start, end }, replacement = '' }: Pick<Mutant, 'location' | 'replacement'>,
): { was: string; becomes: string } {
  const lines = text.split('\n').slice(start.line - 1, end.line)
  const before = lines[0]?.slice(0, start.column - 1) ?? ''
  const after = lines.at(-1)?.slice(end.column - 1) ?? ''
  return { was: oneLine(lines.join('\n')), becomes: oneLine(`${before}${replacement}${after}`) }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function isIn(fileName: string, file: string): boolean {
  return fileName === file || fileName.endsWith(`/${file}`)
}
