import type { CalledService } from '../../../calls/place/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { dim, join, text } from '../../../lib/text/text.ts'
import type { Context } from '../../shell/context.ts'

interface Confirmation {
  readonly yes: boolean | undefined
  readonly question?: string
  /** Flags that a script has not given. Default: --yes without `yes`. */
  readonly missing?: readonly string[]
  readonly hint?: string
}

/**
 * Asks for confirmation on a terminal before a phone rings, unless the service identifies itself as a sandbox. The only such function.
 * @throws CallyardError `cancelled` if declined, `usage` in a script without the flags that confirm
 */
export async function confirmCall(
  { name, baseUrl, isSandbox }: CalledService,
  facts: Readonly<Record<string, string>>,
  { yes = false, question = 'Place this call?', missing = yes ? [] : ['--yes'], hint }: Confirmation,
  { prompts, output }: Context,
): Promise<void> {
  if ((yes && missing.length === 0) || (await isSandbox())) return
  if (yes || !prompts.confirms) {
    const flags = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'}`
    throw new CallyardError('usage', `without confirmation, ${flags} required`, {
      hint: hint ?? `${name} does not say that it is a sandbox, so a phone may ring`,
      details: { missing, outcome: 'not-sent' },
    })
  }
  const rows = Object.entries({
    Service: name === baseUrl ? baseUrl : `${name} (${baseUrl})`,
    ...facts,
  })
  const width = Math.max(...rows.map(([word]) => word.length))
  const lines = rows.map(([word, fact]) => text`${dim(word.padEnd(width))}  ${fact}`)
  output.note(join(lines), { isRequested: true })
  if (await prompts.confirm({ message: question, flag: '--yes' })) return
  throw new CallyardError('cancelled', 'cancelled; no call was placed')
}
