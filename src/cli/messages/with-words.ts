import { CallyardError, getErrorReason } from '../../lib/error.ts'
import type { MessageText } from './words.ts'

/** Messages by code, of any module. `defineErrors` gives each error the details of its code. */
type Table = Readonly<Record<string, (details: never, cause: MessageText) => MessageText>>

/** Messages of each module, in order of their size. */
const tables: readonly (() => Promise<Table>)[] = [async () => (await import('./project.ts')).projectMessages]

/** Returns an error with the message for its code; anything else unchanged. Loads only the messages it needs. */
export function withMessage(thrown: CallyardError): Promise<CallyardError>
export function withMessage(thrown: unknown): Promise<unknown>
export async function withMessage(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof CallyardError)) return thrown
  const wanted = codesIn(thrown)
  let found: Table = {}
  for (const load of tables) {
    if (wanted.every(code => Object.hasOwn(found, code))) break
    found = { ...found, ...(await load()) }
  }
  return addMessage(thrown, found)
}

/** Returns the message and hint for anything thrown. */
export function messageFor(thrown: unknown, table: Table): MessageText {
  if (thrown === undefined) return { message: '' }
  if (thrown instanceof CallyardError) return addMessage(thrown, table)
  return { message: getErrorReason(thrown) }
}

/** The error with the words for its code, its hint and its findings. */
function addMessage(error: CallyardError, table: Table): CallyardError {
  const { kind, code, details, next } = error
  const message = table[code ?? '']
  const cause = error.cause instanceof CallyardError ? addMessage(error.cause, table) : error.cause
  if (message === undefined) {
    const { hint } = error
    return cause === error.cause
      ? error
      : new CallyardError(kind, error.message, { code, hint, next, details, cause })
  }
  const { message: said, hint } = message(details as never, messageFor(cause, table))
  return new CallyardError(kind, said, {
    code,
    hint,
    details,
    cause,
  })
}

function codesIn({ code, cause }: CallyardError): string[] {
  return [...(code === undefined ? [] : [code]), ...(cause instanceof CallyardError ? codesIn(cause) : [])]
}
