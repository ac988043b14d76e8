import { formatFieldPath } from '../interface/check.ts'
import { Problem } from '../sandbox/index.ts'
import { CallwrightError } from './public-types.ts'

/** Fields of Create call → the options of `call` that they come from. */
const optionNames: Readonly<Record<string, string>> = {
  userNumber: 'to',
  assistantNumber: 'from',
  assistantId: 'assistant',
  assistantOverrides: 'overrides',
}

/** What the sandbox refuses, as an error of the library that calls what was given `subject`; anything else as it was thrown. */
export function problemError(thrown: unknown, owner: string, subject = 'options'): unknown {
  if (!(thrown instanceof Problem)) return thrown
  const { hint, findings: [finding] = [] } = thrown.options
  if (finding === undefined)
    return new CallwrightError(codes[thrown.status] ?? 'refused', `${owner}: ${thrown.message}`, {
      hint,
      cause: thrown,
    })
  const { code, path, message } = finding
  const [first = '', ...rest] = path
  const option = optionNames[first] ?? first
  const field = path.length === 0 ? undefined : formatFieldPath([option, ...rest])
  const said = message.replace(String(first), String(option)).replace(/^the document\b/, subject)
  return new CallwrightError(code, `${owner}: ${said}`, {
    field,
    hint: finding.hint === 'print-schema' ? undefined : finding.hint?.replace('the document', subject),
    cause: thrown,
  })
}

const codes: Readonly<Record<number, string>> = { 404: 'not-found', 409: 'dropped', 503: 'closed' }
