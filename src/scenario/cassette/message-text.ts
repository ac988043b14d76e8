import { stringifyJson } from '../../lib/json.ts'
import type { CanonicalMessage } from './canonical-request.ts'

/** A message as one line, or more where it calls tools. */
export function lineOf(message: CanonicalMessage): string {
  if ('user' in message) return `caller: ${message.user}`
  if ('system' in message) return `system: ${message.system}`
  if ('tool' in message) return `tool ${message.tool} answered: ${textOrJson(message.answered)}`
  const calls = (message.calls ?? []).map(
    ({ name, arguments: given }) => `assistant calls ${name}: ${textOrJson(given)}`,
  )
  return [...(message.assistant === '' ? [] : [`assistant: ${message.assistant}`]), ...calls].join('\n')
}

/** Text as it is; any other value as JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
