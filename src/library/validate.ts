import { dirname, resolve } from 'node:path'
import * as z from 'zod/mini'
import { projectSchema } from '../files/formats/project.ts'
import { checkFile, type FileRules, findProjectFile } from '../files/source/index.ts'
import type { Vocabulary } from '../interface/vocabulary.ts'
import { checkPaths } from '../project/resources/index.ts'
import { checkOptions, toFindings, toPublicError } from './errors.ts'
import { validateOptionsSchema } from './option-schemas.ts'
import { processRules } from './process-rules.ts'
import type { Finding } from './public-types.ts'
import type { ValidateOptions } from './resources.ts'

const someFiles = z.union([z.string().check(z.minLength(1)), z.array(z.string().check(z.minLength(1)))])

/** See `validate` of the entry. */
export async function findingsIn(
  files: string | readonly string[],
  options: ValidateOptions = {},
): Promise<Finding[]> {
  checkOptions(z.strictObject({ files: someFiles }), { files }, 'validate')
  checkOptions(validateOptionsSchema(), options, 'validate')
  const { kind, allowUnknown } = options
  const rules = processRules(options)
  const paths = typeof files === 'string' ? [files] : files
  try {
    const vocabulary = options.vocabulary ?? (await vocabularyAround(paths[0], rules))
    const { findings } = await checkPaths(paths, {
      ...rules,
      kind,
      allowUnknown,
      vocabulary,
      checkTests: async (tests, projectOf) =>
        (await import('../scenario/load/load-tests.ts')).loadTestFiles(tests, {
          ...rules,
          vocabulary,
          projectOf,
        }),
      checkGuard: async checked => (await import('../calls/guard/index.ts')).readRules(checked).diagnostics,
    })
    return toFindings(findings)
  } catch (error) {
    throw await toPublicError(error)
  }
}

/** Reads the vocabulary of the nearest callyard.yaml in this folder or above. Invalid files are reported by their own check. */
async function vocabularyAround(path: string | undefined, rules: FileRules): Promise<Vocabulary> {
  if (path === undefined) return {}
  const absolutePath = resolve(rules.cwd, path)
  const file =
    (await findProjectFile(absolutePath, rules)) ?? (await findProjectFile(dirname(absolutePath), rules))
  if (file === undefined) return {}
  const { value } = await checkFile(file, 'project', { ...rules, vocabulary: {} })
  return projectSchema().safeParse(value).data?.vocabulary ?? {}
}
