import type { RequiredHeader } from '../../../events/receive/index.ts'
import { readText } from '../../../files/source/index.ts'
import { plainText } from '../../../files/text/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import type { Context } from '../../shell/context.ts'
import { type HeaderSource, headerProblem, parseHeader } from './flags.ts'

/**
 * Reads the headers of a flag, names in lower case, including values from the environment and files.
 * @throws CallyardError `usage` for a missing or invalid header; it names the flag and the position, but no value
 */
export async function readHeaders(
  flag: string,
  sources: readonly HeaderSource[] | undefined,
  context: Context,
): Promise<Record<string, string>> {
  const headers = new Map<string, string>()
  for (const source of sources ?? []) {
    for (const header of await headersOf(flag, source, context)) {
      const key = header.name.toLowerCase()
      const problem = headerProblem(header) ?? (headers.has(key) ? `${key} is given twice.` : undefined)
      if (problem !== undefined) throw malformedHeaderError(`${flag}: ${problem.slice(0, -1)}`)
      headers.set(key, header.value)
    }
  }
  return Object.fromEntries(headers)
}

/** The same of a flag that takes one header. */
export async function readHeader(
  flag: string,
  source: HeaderSource | undefined,
  context: Context,
): Promise<RequiredHeader | undefined> {
  if (source === undefined) return undefined
  const [header, ...more] = await headersOf(flag, source, context)
  if (header !== undefined && more.length === 0) return header
  throw malformedHeaderError(`${flag} takes one header, and the file has ${more.length + 1}`)
}

async function headersOf(
  flag: string,
  source: HeaderSource,
  { env, resolve }: Context,
): Promise<readonly RequiredHeader[]> {
  if ('value' in source) return [source]
  if ('variable' in source) {
    const { name, variable } = source
    const header = parseHeader(`${name}: ${env[variable] ?? ''}`)
    if (header !== undefined) return [header]
    const problem = env[variable] ? 'holds what no header can have' : 'is not set, or empty'
    throw malformedHeaderError(
      `${flag} reads ${name} from the environment variable ${variable}, which ${problem}`,
    )
  }
  const read = await readText(resolve(source.file))
  if ('error' in read) {
    const { message, hint } = read.error
    throw headerFileError(`${flag} reads ${source.file}: ${message}`, hint)
  }
  const headers = plainText(read.text)
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      const header = parseHeader(line.trim())
      if (header !== undefined) return [header]
      throw headerFileError(`${flag} reads ${source.file}: line ${index + 1} is not 'name: value'`)
    })
  if (headers.length === 0) throw headerFileError(`${flag} reads ${source.file}: it has no header`)
  return headers
}

function headerFileError(message: string, hint?: string): CallyardError {
  return new CallyardError('invalid', message, { hint })
}

function malformedHeaderError(message: string): CallyardError {
  return new CallyardError('usage', message)
}
