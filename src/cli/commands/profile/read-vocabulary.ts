import { InvalidInput, readSource, toDiagnostics } from '../../../files/source/index.ts'
import { check } from '../../../interface/check.ts'
import { hasErrors } from '../../../interface/finding.ts'
import { type Vocabulary, vocabularySchema } from '../../../interface/vocabulary.ts'
import type { Context } from '../../shell/context.ts'

/** The vocabulary of a file. @throws InvalidInput with what is wrong in it */
export async function readVocabulary(file: string, { cwd }: Context): Promise<Vocabulary> {
  const source = await readSource(file, { cwd })
  const findings = source.value === undefined ? [] : check(vocabularySchema(), source.value)
  const diagnostics = [...source.diagnostics, ...toDiagnostics(findings, source)]
  if (hasErrors(diagnostics)) throw new InvalidInput(diagnostics)
  return vocabularySchema().parse(source.value)
}
