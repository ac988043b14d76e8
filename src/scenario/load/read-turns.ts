import { dirname, resolve } from 'node:path'
import { maxTurns, type TestFile, type Turns, turnsSchema } from '../../files/formats/scenario.ts'
import { checkSource, displayName, type FileRules, readSource } from '../../files/source/index.ts'
import { type FieldPath, hasErrors } from '../../interface/finding.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { createLocator, type FileLocator, type Findings } from './findings.ts'

/** A test file that passed its schema, with its includes. */
export interface ParsedTest extends FileLocator {
  /** Id without a row number. */
  readonly id: string
  readonly file: TestFile
  readonly turns: readonly ParsedTurn[]
  readonly vocabulary: Vocabulary
}

/** A turn as written, before row placeholders are filled. */
export interface ParsedTurn extends WrittenTurn, FileLocator {}

type WrittenTurn = Turns[number]

interface IncludedTurns extends FileLocator {
  readonly turns: Turns
}

/** Reads included files, each once. `folder` is the absolute path that they must be inside. */
export function openIncludes(options: FileRules & { readonly folder: string }) {
  const { cwd, folder, allowOutsideFiles = false } = options
  const readings = new Map<string, Promise<IncludedTurns>>()
  /** Returns no turns if the file has errors. */
  const read = async (name: string, holder: string): Promise<IncludedTurns> => {
    const source = await readSource(name, {
      cwd,
      includedBy: { includingFile: holder, folder, allowOutsideFiles },
    })
    if (source.value === undefined) return { ...createLocator(source), turns: [] }
    const { value, diagnostics } = await checkSource(source, turnsSchema(), options)
    const turns = hasErrors(diagnostics) ? [] : (turnsSchema().safeParse(value).data ?? [])
    return { ...createLocator({ ...source, diagnostics }), turns }
  }
  return {
    /** Expands includes. Adds the files it reads to `uses`. */
    async expand(turns: Turns, at: FileLocator, findings: Findings, uses: Set<string>) {
      const expanded: ParsedTurn[] = []
      let entries = 0
      const addTurns = async (
        list: Turns,
        file: FileLocator,
        base: FieldPath,
        ancestors: readonly string[],
      ) => {
        for (const [index, turn] of list.entries()) {
          entries += 1
          if (entries > maxTurns) return
          const path = [...base, index]
          if (turn.include !== undefined) {
            await include(turn, file, path, ancestors)
            continue
          }
          const locationOf: FileLocator['locationOf'] = (inner, at) =>
            file.locationOf([...path, ...inner], at)
          if (turn.user === undefined && expanded.length > 0)
            findings.add(locationOf([]), 'missing', {
              message: 'this turn has no line of the caller; only the first turn may omit it',
              hint: 'add user: with what the caller says; a first turn without it covers what is said before the caller speaks',
            })
          expanded.push({ ...turn, source: file.source, locationOf })
        }
      }
      const include = async (
        { include: name = '', ...rest }: WrittenTurn,
        file: FileLocator,
        path: FieldPath,
        above: readonly string[],
      ) => {
        const location = file.locationOf([...path, 'include'])
        const [other] = (['user', 'expect'] as const).filter(field => rest[field] !== undefined)
        if (other !== undefined)
          findings.add(location, 'rule', {
            message: `include must be alone in its turn, but this turn also has ${other}`,
            hint: `move ${other} into its own turn`,
          })
        const target = resolve(dirname(file.source.path), name)
        if (above.includes(target)) {
          const circle = [...above.slice(above.indexOf(target)), target]
          const names = circle.map(circlePath => displayName(circlePath, cwd))
          const message =
            names.length === 2 ? `${names[0]} includes itself` : `circular include: ${names.join(' → ')}`
          findings.add(location, 'circle', { message, hint: 'remove one of the includes' })
          return
        }
        const reading = readings.get(target) ?? read(name, file.source.path)
        readings.set(target, reading)
        const included = await reading
        uses.add(target)
        const { source } = included
        if (source.value === undefined) findings.addUnread(source, location, name)
        else findings.addAll(source.diagnostics)
        await addTurns(included.turns, included, [], [...above, target])
      }
      await addTurns(turns, at, ['turns'], [at.source.path])
      if (entries > maxTurns)
        findings.add(at.locationOf(['turns']), 'too-large', {
          message: `the test has more than ${maxTurns} turns, including those of included files`,
          hint: 'split it into several tests',
        })
      return expanded
    },
  }
}
