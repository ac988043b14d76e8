import { decodeText, withoutMark } from '../../files/text/index.ts'
import { CallyardError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import type { Context } from '../shell/context.ts'

/**
 * Returns the JSON text of a flag, given literally, as @file, or as @- for stdin. It is unmodified, so that numbers keep all their
 * digits.
 * @throws CallyardError `usage` or `invalid` for text that is not JSON
 */
export async function readJsonFlag(
  flagValue: string,
  flag: string,
  { readInput, resolve }: Pick<Context, 'readInput' | 'resolve'>,
): Promise<string> {
  if (!flagValue.startsWith('@')) return checkJson(flagValue, flag, { flag, kind: 'usage' })
  if (flagValue === '@-') return checkJson(await readInput(), 'stdin', { flag, kind: 'invalid' })
  const file = flagValue.slice(1)
  let content: string
  try {
    const decoded = decodeText(await readFile(resolve(file)))
    if ('error' in decoded) throw Object.assign(new Error(decoded.error.message), { code: 'ENOTFILE' })
    content = withoutMark(decoded.text)
  } catch (error) {
    const code = getErrorCode(error) ?? String(error)
    const why = code === 'ENOTFILE' && error instanceof Error ? error.message : code
    throw new CallyardError('invalid', `cannot read ${file} (${why}); nothing was sent`, {
      cause: error,
    })
  }
  return checkJson(content, file, { flag, kind: 'invalid' })
}

function checkJson(
  json: string,
  where: string,
  { flag, kind }: { readonly flag: string; readonly kind: 'usage' | 'invalid' },
): string {
  try {
    JSON.parse(json)
    return json
  } catch (error) {
    const reason = getErrorReason(error)
    throw new CallyardError(kind, `${where} is not JSON: ${reason}; nothing was sent`, {
      hint: `${flag} takes JSON, @file for a file, or @- for stdin`,
    })
  }
}
