import { InvalidInput, readSource, toDiagnostics } from '../../files/source/index.ts'
import { check } from '../../interface/check.ts'
import { type PhoneNumber, phoneNumbersSchema } from '../../interface/phone-number.ts'
import { toWire, type Vocabulary } from '../../interface/vocabulary.ts'

/**
 * Reads a file of phone numbers: a YAML or JSON list of `{ id, number, assistantId?, phoneVendor?, outcome? }`, and of
 * `{ number, outcome }` for phones that are called. A vendor may be written by its placeholder or by the deployment's own word.
 * @throws InvalidInput with every finding and its place in the file
 */
export async function readNumbers(
  file: string,
  { cwd, vocabulary = {} }: { readonly cwd: string; readonly vocabulary?: Vocabulary },
): Promise<PhoneNumber[]> {
  const source = await readSource(file, { cwd })
  if (source.diagnostics.length > 0) throw new InvalidInput(source.diagnostics)
  const schema = phoneNumbersSchema(vocabulary)
  const findings = check(schema, source.value, { written: source.rawTextAt })
  if (findings.length > 0) throw new InvalidInput(toDiagnostics(findings, source))
  return schema.parse(toWire(schema, source.value))
}
