import { type Diagnostic, InvalidInput, loadJsonParser, readText } from '../../files/source/index.ts'
import { createLineIndex, withoutMark } from '../../files/text/index.ts'
import { valueError } from '../../interface/finding.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { parseJson } from '../../lib/json.ts'
import type { Context } from '../shell/context.ts'

/**
 * Returns the JSON text of a flag, given literally, as @file, or as @- for stdin. It is unmodified, so that numbers keep all their
 * digits.
 * @throws CallyardError `usage` for a flag that is not JSON, InvalidInput for a file or stdin
 */
export async function readJsonFlag(
  flagValue: string,
  flag: string,
  { host, resolve }: Context,
): Promise<string> {
  if (flagValue === '@-') return checkJson(await host.stdin.text(), 'stdin')
  if (flagValue.startsWith('@')) {
    const file = flagValue.slice(1)
    const read = await readText(resolve(file), { maxBytes: Number.POSITIVE_INFINITY })
    if ('error' in read) throw invalid(file, read.error)
    return checkJson(withoutMark(read.text), file)
  }
  try {
    JSON.parse(flagValue)
    return flagValue
  } catch (error) {
    throw new CallyardError('usage', `${flag} is not JSON: ${getErrorReason(error)}; nothing was sent`, {
      hint: `${flag} takes JSON, @file for a file, or @- for stdin`,
    })
  }
}

async function checkJson(json: string, file: string): Promise<string> {
  if (parseJson(json) !== undefined) return json
  const parseJsonFile = await loadJsonParser()
  const { errors } = await parseJsonFile(json)
  const { offset = 0, ...error } = errors[0] ?? { code: 'broken-json', message: 'not JSON' }
  throw invalid(file, { ...error, position: createLineIndex(json)(offset) })
}

interface ReadError {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly position?: Diagnostic['position']
}

function invalid(file: string, { code, message, hint, position }: ReadError): InvalidInput {
  return new InvalidInput([{ ...valueError([], code, message, hint), file, position }])
}
