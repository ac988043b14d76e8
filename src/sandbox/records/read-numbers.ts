import { check } from '../../interface/check.ts'
import type { Finding } from '../../interface/finding.ts'
import { toWire, type Vocabulary } from '../../interface/vocabulary.ts'
import { type Diagnostic, InvalidInput, readSource } from '../../source/index.ts'
import { type PhoneNumber, phoneNumbersSchema } from './phone-numbers.ts'
import { refusal } from './problem.ts'

/**
 * Reads a file of phone numbers: a YAML or JSON list of `{ id, number, assistantId?, phoneVendor? }`. A vendor may be written
 * by its placeholder or by the deployment's own word.
 * @throws InvalidInput with every finding and its place in the file
 */
export async function readNumbers(
  file: string,
  { cwd, vocabulary = {} }: { readonly cwd: string; readonly vocabulary?: Vocabulary },
): Promise<PhoneNumber[]> {
  const source = await readSource(file, { cwd })
  if (source.diagnostics.length > 0) throw new InvalidInput(source.diagnostics)
  const locate = (finding: Finding): Diagnostic => ({
    ...finding,
    file: source.file,
    position: source.positionOf(finding.path, finding.at),
  })
  const schema = phoneNumbersSchema(vocabulary)
  const findings = check(schema, source.value, { written: source.writtenAt })
  if (findings.length > 0) throw new InvalidInput(findings.map(locate))
  const numbers = schema.parse(toWire(schema, source.value))
  const repeated = [...repeats(numbers, 'id'), ...repeats(numbers, 'number')]
  if (repeated.length > 0) throw new InvalidInput(repeated.map(locate))
  return numbers
}

function repeats(numbers: readonly PhoneNumber[], field: 'id' | 'number'): Finding[] {
  return numbers.flatMap((number, index) => {
    const first = numbers.findIndex(other => other[field] === number[field])
    return first === index
      ? []
      : [refusal([index, field], 'duplicate', `${field} ${JSON.stringify(number[field])} is there twice`)]
  })
}
