import { type Diagnostic, InvalidInput, type SourceHint } from '../../files/source/index.ts'
import type { InterfaceHint } from '../../interface/finding.ts'
import { kindNames } from '../../interface/words.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { meantHint } from '../../lib/text/did-you-mean.ts'
import type { MessageText } from './words.ts'

/** Messages by code, of any module. `defineErrors` gives each error the details of its code. */
type Table = Readonly<Record<string, (details: never, cause: MessageText) => MessageText>>

/** Messages of each module, in order of their size. */
const tables: readonly (() => Promise<Table>)[] = [
  async () => (await import('./project.ts')).projectMessages,
  async () => (await import('./faq.ts')).faqMessages,
]

/** Returns an error with the message for its code; anything else unchanged. Loads only the messages it needs. */
export function withMessage(thrown: CallyardError): Promise<CallyardError>
export function withMessage(thrown: unknown): Promise<unknown>
export async function withMessage(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof CallyardError)) return thrown
  if (thrown instanceof InvalidInput)
    return new InvalidInput(await withFindingMessages(thrown.diagnostics), thrown.consequence)
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
  if (code === undefined) {
    const hint = hintWords(error.hint)
    return hint === error.hint
      ? error
      : new CallyardError(kind, error.message, { hint, next, details, cause: error.cause })
  }
  const message = table[code]
  if (message === undefined) return error
  const cause = error.cause instanceof CallyardError ? addMessage(error.cause, table) : error.cause
  const { message: said, hint } = message(details as never, messageFor(cause, table))
  return new CallyardError(kind, said, {
    code,
    hint,
    details,
    cause,
  })
}

/** The words for each hint that core gives as a code, because it names a flag or a command. */
const hints: Readonly<Record<string, string>> = {
  'name-kind': 'pass --kind <kind>',
  'name-kind-or-folder': `move it to assistants/, tools/, knowledge-bases/, overrides/, batches/, guards/, or pass --kind <kind> (${kindNames.join(', ')}); a test is called *.test.yaml`,
  'allow-outside-files': 'move it there, or pass --allow-outside-files if you trust this file',
  'allow-hidden': 'pass --allow-outside-files if you trust this file and want to send its text',
  'make-project':
    'names refer to resources of a project, the folder with callyard.yaml; move the file there, use an id, or create a project: callyard init',
  'name-encoding': 'pass --encoding, such as --encoding windows-1250, or save it as UTF-8',
  'name-encoding-of-list':
    'set encoding in the batch file or pass --encoding, such as --encoding windows-1250; or save the list as UTF-8',
  'print-schema': 'run `callyard schema` to see every field',
} satisfies Record<SourceHint | InterfaceHint, string>

/** Findings with the words for their codes. */
export async function withFindingMessages(findings: readonly Diagnostic[]): Promise<Diagnostic[]> {
  const hasCodes = findings.some(({ details }) => details !== undefined)
  const table: Table = hasCodes
    ? {
        ...(await import('./findings.ts')).findingMessages,
        ...(await import('./batch.ts')).batchFindingMessages,
      }
    : {}
  return findings.map(finding => withFindingMessage(finding, table))
}

/** Like `withFindingMessages`, for messages that are loaded already. */
export function withFindingMessage({ details, near, ...finding }: Diagnostic, table: Table): Diagnostic {
  const words =
    details === undefined ? undefined : table[finding.message]?.(details as never, { message: '' })
  const hint = meantHint(near) ?? hintWords(finding.hint)
  return { ...finding, ...(hint === undefined ? {} : { hint }), ...words }
}

/** The words of a hint: those of its code, or itself. */
function hintWords(hint: string | undefined): string | undefined {
  return hint !== undefined && Object.hasOwn(hints, hint) ? hints[hint] : hint
}

function codesIn({ code, cause }: CallyardError): string[] {
  return [...(code === undefined ? [] : [code]), ...(cause instanceof CallyardError ? codesIn(cause) : [])]
}
