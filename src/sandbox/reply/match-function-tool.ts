import { isObject } from '../../lib/json/is-object.ts'
import { askWorker } from '../schema-checks/ask-worker.ts'
import type { CallTool } from '../tools/call-tool.ts'
import { termsOf } from '../tools/terms.ts'
import { type FilledArguments, fillArguments } from './fill-arguments.ts'

/** A function tool that a line asks for. */
export interface MatchedTool extends Pick<FilledArguments, 'arguments'> {
  readonly tool: CallTool
  /** How much of the line is about it: the share of its terms that are the tool's, or gave an argument. 0 to 1. */
  readonly share: number
}

/**
 * The function tool whose words the line uses most, if it asks for one. The name must be meant: by two of its words (or all
 * of them); by one, and a value for its parameters; or by a line that says nothing else and asks nothing. Words of the
 * description alone are no request: “Where is the workshop?” books nothing, and neither does “Cancel my booking”. `from` is
 * the day of the call.
 */
export function matchFunctionTool(
  line: string,
  tools: readonly CallTool[],
  from: Date,
): MatchedTool | undefined {
  const asked = termsOf(line)
  const [best] = tools
    .flatMap(tool => (tool.predefined === undefined ? (match(line, asked, tool, from) ?? []) : []))
    .sort((one, other) => other.share - one.share || other.inName - one.inName)
  return best
}

/** Of a line that names a tool by one noun, how much must be about it. */
const shareOfNoun = 0.75
const undoing = termsOf('cancel change move reschedule postpone delete remove undo')

function match(
  line: string,
  asked: ReadonlySet<string>,
  tool: CallTool,
  from: Date,
): (MatchedTool & { readonly inName: number }) | undefined {
  const named = termsOf(wordsOf(tool.name))
  const [verb = ''] = named
  const inName = [...asked].filter(term => named.has(term)).length
  if (inName === 0) return undefined
  const filled = fillArguments(tool.parameters, line, from)
  const known = new Set([
    ...named,
    ...termsOf(tool.description),
    ...termsOf(propertyWords(tool.parameters)),
    ...termsOf(filled.said.join(' ')),
  ])
  if ([...asked].some(term => undoing.has(term) && !known.has(term))) return undefined
  const share = [...asked].filter(term => known.has(term)).length / asked.size
  const isMeant =
    inName >= Math.min(2, named.size) ||
    (filled.said.length > 0 && (asked.has(verb) || share >= shareOfNoun)) ||
    (inName === asked.size && !line.trimEnd().endsWith('?'))
  return isMeant ? { tool, arguments: filled.arguments, share, inName } : undefined
}

/** Why these arguments do not pass the tool's parameters; undefined when they do. */
export async function whyNotCalled({ tool, arguments: given }: MatchedTool): Promise<string | undefined> {
  const checked = await askWorker('arguments', { schema: tool.parameters, values: given })
  return checked === undefined ? 'its function.parameters take longer than a second to check' : checked.reason
}

/** `book_appointment`, `bookAppointment` → book appointment. */
function wordsOf(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ')
}

/** Names and descriptions of the parameters, in one text. */
function propertyWords({ properties }: CallTool['parameters']): string {
  if (!isObject(properties)) return ''
  return Object.entries(properties)
    .flatMap(([name, property]) => [
      wordsOf(name),
      isObject(property) && typeof property.description === 'string' ? property.description : '',
    ])
    .join(' ')
}
