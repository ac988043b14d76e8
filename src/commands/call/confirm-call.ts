import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { dim, join, text } from '../../lib/text/text.ts'
import type { NamedService } from './service-name.ts'

interface Question {
  readonly service: NamedService
  /** What the call is made of: a word for each fact, and the fact. */
  readonly facts: Readonly<Record<string, string>>
  readonly yes: boolean | undefined
}

/**
 * Asks before a phone rings: on a terminal, and for a service that is not on this machine.
 * @throws CliError `cancelled` for a no
 */
export async function confirmCall({ service, facts, yes }: Question, context: Context): Promise<void> {
  const { prompts, output } = context
  if (yes === true || service.isLocal || !prompts.available) return
  const { name, baseUrl } = service
  const rows = Object.entries({
    Service: name === baseUrl ? baseUrl : `${name} (${baseUrl})`,
    ...facts,
  })
  const width = Math.max(...rows.map(([word]) => word.length))
  const lines = rows.map(([word, fact]) => text`${dim(word.padEnd(width))}  ${fact}`)
  output.note(join(lines, '\n'), { asked: true })
  if (await prompts.confirm({ message: 'Place this call?', flag: '--yes', default: false })) return
  throw new CallwrightError('cancelled', 'cancelled; no call was placed')
}
