import { isObject } from '../../lib/json/is-object.ts'
import type { ToolOutcome } from '../tools/call-tool.ts'
import type { OfflineLine } from './offline-lines.ts'

/** What is said of what a function tool answered, without a model. Where the sandbox speaks for itself it says so. */
export function functionToolLine(
  name: string,
  given: Readonly<Record<string, unknown>>,
  { content, failure, simulated }: ToolOutcome,
): OfflineLine {
  if (failure !== undefined)
    return { text: `This is the callwright sandbox: ${name} did not work.`, done: false }
  if (simulated === true) {
    const text = `This is the callwright sandbox in place of your server: ${name} is done${withFacts(given)}. Nothing real happened.`
    return { text, done: true }
  }
  const answer: unknown = JSON.parse(content)
  const spoken = isObject(answer) ? spokenFields.map(field => answer[field]).find(isText) : answer
  if (isText(spoken)) return { text: spoken, done: true }
  return {
    text: `This is the callwright sandbox: ${name} answered${withFacts(isObject(answer) ? answer : {})}.`,
    done: true,
  }
}

/** Of an answer, what is likely meant to be said. */
const spokenFields = ['message', 'text', 'answer', 'reply'] as const
const maxFacts = 4

/** `, day 2026-01-02, people 2`: the values that can be said. */
function withFacts(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .slice(0, maxFacts)
    .map(([name, value]) => `, ${name.replaceAll('_', ' ')} ${String(value)}`)
    .join('')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
