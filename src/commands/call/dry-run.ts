import type { Context } from '../../cli/context.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import { bold, text } from '../../lib/text/text.ts'

/** Prints the request that would be sent. */
export function printRequest(path: string, body: Record<string, unknown>, { output }: Context): void {
  output.result({ method: 'POST', path, body }, () => text`${bold(`POST ${path}`)}\n${toJsonDocument(body)}`)
  output.note('Nothing was sent.')
}
