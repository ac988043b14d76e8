import { dirname } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { collectAccess, isEmptyAccess } from '../../files/access/index.ts'
import { moveOrGiveKind } from '../../files/formats/kinds.ts'
import { projectSchema } from '../../files/formats/project.ts'
import {
  type CheckedFile,
  type Diagnostic,
  fileHints,
  findProjectFile,
  inferKind,
} from '../../files/source/index.ts'
import { kindNames } from '../../interface/words.ts'
import { CallyardError } from '../../lib/error.ts'
import { isFile } from '../../lib/fs/read-file.ts'
import { listed } from '../../lib/text/count.ts'
import { join } from '../../lib/text/text.ts'
import { checkPaths, listFieldsWithoutEffect, withoutEffectNote } from '../../project/resources/index.ts'
import type { Reports } from '../shell/ci-reports/open-reports.ts'
import { createTimer, listCases } from '../shell/ci-reports/report.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { Flag, type OptionsOf, withFileFlags } from '../shell/flags/flag.ts'
import { outFlags } from '../shell/flags/out-flag.ts'
import { formatDiagnostics } from '../shell/render/diagnostics.ts'
import type { SchemaBuilders } from '../shell/schema-builders.ts'

export const validateCommand = defineCommand({
  description: 'Check resource files offline',
  examples: [
    'callyard validate .',
    "callyard validate assistants/front-desk.yaml 'tools/**/*.yaml'",
    'callyard validate . --out callyard.xml --out callyard.sarif',
  ],
  topics: ['files'],
  effect: 'none',
  flags: withFlags,
  result: validateResult,
  /**
   * Checks files offline and prints all findings as the result; of a project that is named as a whole also what plan checks
   * in it. Throws `invalid` (exit 3) when one is an error.
   */
  async run(options, context, [paths]) {
    if (options.out === undefined) return checkAndPrint(paths, options, context)
    // Lazy: most runs write no reports.
    const { withReports } = await import('../shell/ci-reports/open-reports.ts')
    const run = { command: 'validate', done: 'the files are checked' } as const
    await withReports(run, options, context, reports => checkAndPrint(paths, options, context, reports))
  },
})

function withFlags(command: Command) {
  return withFileFlags(
    command
      .argument('<path...>', 'Files, folders or glob patterns')
      .addOption(
        new Flag('--kind <kind>', 'Kind of the files')
          .helpsWith({
            [fileHints.giveKind]: 'pass --kind <kind>',
            [moveOrGiveKind()]: moveOrGiveKind('pass --kind <kind>'),
          })
          .choices(kindNames),
      )
      .option('--skip-unknown', 'Skip files that are not part of a project'),
    'Accept',
  ).addOption(outFlags('Write a JUnit (.xml) or SARIF (.sarif) report', ['junit', 'sarif']))
}

async function validateResult({ z, required, requiredList }: SchemaBuilders) {
  return {
    document: z.object({
      files: required(z.int(), 'Number of files that were checked'),
      errors: z.int(),
      warnings: z.int(),
      diagnostics: z.array((await import('../../files/source/diagnostic-schema.ts')).diagnosticSchema),
      skipped: required(z.array(z.string()), 'Files of an unknown kind'),
      access: (await import('../../files/access/access-schema.ts')).accessSchema,
      withoutEffect: requiredList('Assistants with fields that the sandbox, chats and tests ignore', {
        file: z.string(),
        fields: z.array(z.string()),
      }),
    }),
  }
}

type ValidateOptions = OptionsOf<typeof withFlags>

async function checkAndPrint(
  paths: readonly string[],
  { kind, allowUnknown, skipUnknown = false }: ValidateOptions,
  context: Context,
  reports?: Reports,
): Promise<void> {
  const { files: rules, output, signal, clock } = context
  const timer = createTimer(clock)
  const vocabulary = (await context.settings()).vocabulary.value
  const shared = { ...rules, vocabulary, signal, onCheck: timer.start }
  const pathsToCheck = skipUnknown && kind === undefined ? await pathsInProjects(paths, context) : paths
  const { files, findings, skipped } = await checkPaths(pathsToCheck, {
    ...shared,
    kind,
    allowUnknown,
    onFound: filePaths => reports?.assertNoneOf(filePaths),
    checkTests: async (tests, projectOf) =>
      (await import('../../scenario/load/load-tests.ts')).loadTestFiles(tests, { ...shared, projectOf }),
    checkGuard: async checked => (await import('../../calls/guard/index.ts')).readRules(checked).diagnostics,
  })
  const diagnostics = [
    ...context.withFindingHints(findings).filter(({ code }) => !skipUnknown || code !== 'no-files'),
    ...(await staleSchemasOf(files, context)),
  ]
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  const warnings = diagnostics.length - errors
  const access = collectAccess(files)
  if (skipped.length > 0 && !skipUnknown) output.note(skippedLine(skipped))
  const uses = isEmptyAccess(access) ? [] : [(await import('../shell/render/access.ts')).usesText(access)]
  const sourceOf = output.json ? undefined : await sourceLinesOf(diagnostics, files, output.width)
  const withoutEffect = listFieldsWithoutEffect(files)
  output.result(
    { files: files.length, errors, warnings, diagnostics, skipped, access, withoutEffect },
    () => {
      const total = `${count(files.length, 'file')} checked, ${count(errors, 'error')}, ${count(warnings, 'warning')}`
      const lines = diagnostics.length === 0 ? [] : [formatDiagnostics(diagnostics, sourceOf), '']
      return join([...lines, total, ...uses])
    },
  )
  const note = withoutEffectNote(withoutEffect)
  if (note !== undefined) output.note(note)
  output.annotate(diagnostics)
  const checkedFiles = files.map(({ kind, source: { file, path } }) => ({
    kind,
    name: file,
    file,
    durationMs: timer.durationOf(path),
  }))
  await reports?.write({ cases: listCases(checkedFiles, diagnostics) })
  if (errors > 0) throw new CallyardError('invalid', `${count(errors, 'error')} found`)
}

/** Draws the lines of the files that were checked; undefined if no finding has a place. */
async function sourceLinesOf(
  diagnostics: readonly Diagnostic[],
  files: readonly CheckedFile[],
  width: number,
) {
  if (diagnostics.every(({ position }) => position === undefined)) return undefined
  const { createSourceLines, linesIn } = await import('../shell/render/source-line.ts')
  const texts = new Map(files.map(({ source: { file, text } }) => [file, text]))
  return createSourceLines(diagnostics, { width, lineAt: linesIn(texts) })
}

/** Drops files outside every project or outside a project's resource folders. Keeps folders and patterns. */
async function pathsInProjects(paths: readonly string[], { resolve, files }: Context): Promise<string[]> {
  const projectPaths: string[] = []
  for (const path of paths) {
    const absolute = resolve(path)
    const isOne = await isFile(absolute)
    const project = isOne ? await findProjectFile(dirname(absolute), files) : undefined
    const isKnown = project !== undefined && inferKind(absolute, dirname(project)) !== undefined
    if (!isOne || isKnown) projectPaths.push(path)
  }
  return projectPaths
}

/** Schema warnings of each project whose callyard.yaml was checked without errors. */
async function staleSchemasOf(
  files: readonly CheckedFile[],
  { settings, cwd }: Context,
): Promise<Diagnostic[]> {
  const projects = files.filter(
    ({ kind, diagnostics }) =>
      kind === 'project' && diagnostics.every(({ severity }) => severity !== 'error'),
  )
  if (projects.length === 0) return []
  const [{ staleSchemas }, { vocabulary }] = await Promise.all([import('./stale-schemas.ts'), settings()])
  const byDefault = vocabulary.from === 'profile' ? vocabulary.value : {}
  const stale = projects.map(({ value, source }) => {
    const own = projectSchema().parse(value).vocabulary
    return staleSchemas(dirname(source.path), own ?? byDefault, cwd)
  })
  return (await Promise.all(stale)).flat()
}

function skippedLine(skipped: readonly string[]): string {
  return `skipped ${listed(skipped, 5)}: unknown kind; move to assistants/, tools/, …, or pass --kind`
}

function count(number: number, noun: string): string {
  return `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
}
