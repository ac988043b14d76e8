import { findObject } from '../../lib/text/find-object.ts'
import { type ChatModel, type ChatRequest, ModelFailure, wholeAnswer } from '../../model/index.ts'

/** What a model is to answer: one JSON object. */
export interface JsonAnswer<Answer> extends Pick<ChatRequest, 'maxTokens'> {
  /** Of its schema: letters. */
  readonly name: string
  /** The JSON Schemas of its fields; all of them are required. */
  readonly properties: Readonly<Record<string, object>>
  /** Undefined: it cannot be read. `object` is undefined where the answer holds none. */
  read(object: Readonly<Record<string, unknown>> | undefined, answer: string): Answer | undefined
  /** How failures name who answers, and the answer. */
  readonly words: { readonly who: string; readonly answer: string }
}

/**
 * Asks a model without tools, at temperature 0, for one JSON object.
 * @throws ModelFailure for an answer that cannot be read, too; or the signal's reason
 */
export async function askInJson<Answer>(
  model: ChatModel,
  messages: ChatRequest['messages'],
  { name, properties, maxTokens, read, words }: JsonAnswer<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const required = Object.keys(properties)
  const schema = { type: 'object', properties, required, additionalProperties: false }
  const readText = (answer: string) => read(findObject(answer), answer)
  const isReadable = (answer: string) => readText(answer) !== undefined
  const answerSchema = { name, schema }
  const request = { messages, tools: [], temperature: 0, maxTokens, answerSchema, isReadable }
  const { text } = await wholeAnswer(model, request, signal)
  const answer = readText(text)
  if (answer !== undefined) return answer
  const shown = excerptOf(text, maxShown)
  throw new ModelFailure(
    shown === '' ? `${words.who} answered nothing` : `${words.answer} cannot be read: “${shown}”`,
  )
}

/** Characters of an answer that cannot be read. */
const maxShown = 80

/** What is cut off shows as an ellipsis. */
export function excerptOf(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max).toWellFormed()}…` : line
}
