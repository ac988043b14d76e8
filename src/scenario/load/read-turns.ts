import { dirname, resolve } from 'node:path'
import type { FieldPath } from '../../interface/finding.ts'
import {
  type CallExpect,
  maxTurns,
  type TestFile,
  type TurnExpect,
  type Turns,
  turnsSchema,
} from '../../interface/scenario.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { checkSource, displayName, type FileRules, readSource } from '../../source/index.ts'
import type { Place } from '../test-case.ts'
import { type Findings, hasErrors, type Located, locatedIn } from './findings.ts'

/** A file that passed the check of its schema, with what it includes. */
export interface WrittenTest extends Located {
  /** Without the number of a row. */
  readonly id: string
  readonly file: TestFile
  readonly turns: readonly WrittenTurn[]
  readonly vocabulary: Vocabulary
}

/** A turn as its file has it, without the columns of a row. */
export interface WrittenTurn {
  readonly place: Place
  readonly user: { readonly text: string; readonly place: Place } | undefined
  readonly expect: WrittenExpect | undefined
}

/** What a turn or the call is expected to be, as the file has it. */
export interface WrittenExpect extends Pick<Located, 'placeOf'> {
  readonly value: TurnExpect & CallExpect
}

/** Reads files that tests include: each once. */
export interface Includes {
  /** The turns of a test, those of included files in their places. Notes the files that are read in `uses`. */
  expand(turns: Turns, at: Located, findings: Findings, uses: Set<string>): Promise<readonly WrittenTurn[]>
}

interface IncludedFile extends Located {
  /** None where the file has errors. */
  readonly turns: Turns
}

/** `folder`: what included files lie in, absolute. */
export function openIncludes(options: FileRules & { readonly folder: string }): Includes {
  const known = new Map<string, Promise<IncludedFile>>()
  const read = async (name: string, holder: string): Promise<IncludedFile> => {
    const { cwd, folder, allowOutside = false } = options
    const source = await readSource(name, { cwd, includedBy: { holder, folder, allowOutside } })
    if (source.value === undefined) return { ...locatedIn(source), turns: [] }
    const { value, diagnostics } = await checkSource(source, turnsSchema(), options)
    const turns = hasErrors(diagnostics) ? [] : (turnsSchema().safeParse(value).data ?? [])
    return { ...locatedIn({ ...source, diagnostics }), turns }
  }
  return {
    async expand(turns, at, findings, uses) {
      const expanded: WrittenTurn[] = []
      let entries = 0
      const enter = async (list: Turns, file: Located, base: FieldPath, above: readonly string[]) => {
        for (const [index, turn] of list.entries()) {
          entries += 1
          if (entries > maxTurns) return
          const path = [...base, index]
          if (turn.include === undefined) expanded.push(toTurn(turn, file, path, expanded.length, findings))
          else await include(turn, file, path, above)
        }
      }
      const include = async (
        { include: name = '', ...rest }: Turns[number],
        file: Located,
        path: FieldPath,
        above: readonly string[],
      ) => {
        const place = file.placeOf([...path, 'include'])
        const [other] = (['user', 'expect'] as const).filter(field => rest[field] !== undefined)
        if (other !== undefined) findings.add(place, 'rule', 'include-beside', { other })
        const there = resolve(dirname(file.source.path), name)
        if (above.includes(there)) {
          const circle = [...above.slice(above.indexOf(there)), there]
          const names = circle.map(each => displayName(each, options.cwd))
          findings.add(place, 'circle', 'include-circle', { circle: names })
          return
        }
        const reading = known.get(there) ?? read(name, file.source.path)
        known.set(there, reading)
        const included = await reading
        uses.add(there)
        const { source } = included
        if (source.value === undefined) findings.addUnread(source, place, name)
        else findings.addAll(source.diagnostics)
        await enter(included.turns, included, [], [...above, there])
      }
      await enter(turns, at, ['turns'], [at.source.path])
      if (entries > maxTurns)
        findings.add(at.placeOf(['turns']), 'too-large', 'too-many-turns', { max: maxTurns })
      return expanded
    },
  }
}

function toTurn(
  { user, expect }: Turns[number],
  { placeOf }: Located,
  path: FieldPath,
  number: number,
  findings: Findings,
): WrittenTurn {
  const place = placeOf(path)
  if (user === undefined && number > 0) findings.add(place, 'missing', 'line-missing', {})
  return {
    place,
    user: user === undefined ? undefined : { text: user, place: placeOf([...path, 'user']) },
    expect:
      expect === undefined
        ? undefined
        : { value: expect, placeOf: (inner, at) => placeOf([...path, 'expect', ...inner], at) },
  }
}
