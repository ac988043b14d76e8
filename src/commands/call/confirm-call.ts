import type { CalledService } from '../../calls/index.ts'
import type { Context } from '../../cli/context.ts'
import { CallyardError } from '../../lib/error.ts'
import { dim, join, text } from '../../lib/text/text.ts'

/**
 * Asks for confirmation on a terminal before a phone rings, unless the service identifies itself as a sandbox.
 * @throws CallyardError `cancelled` if declined
 */
export async function confirmCall(
  { name, baseUrl, isSandbox }: CalledService,
  facts: Readonly<Record<string, string>>,
  { prompts, output }: Pick<Context, 'prompts' | 'output'>,
  question = 'Place this call?',
): Promise<void> {
  if (!prompts.confirms || (await isSandbox())) return
  const rows = Object.entries({
    Service: name === baseUrl ? baseUrl : `${name} (${baseUrl})`,
    ...facts,
  })
  const width = Math.max(...rows.map(([word]) => word.length))
  const lines = rows.map(([word, fact]) => text`${dim(word.padEnd(width))}  ${fact}`)
  output.note(join(lines), { asked: true })
  if (await prompts.confirm({ message: question, flag: '--yes' })) return
  throw new CallyardError('cancelled', 'cancelled; no call was placed')
}
