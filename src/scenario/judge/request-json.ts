import { toExcerpt } from '../../lib/text/escape.ts'
import { findObject } from '../../lib/text/find-object.ts'
import {
  type ChatModel,
  type ChatRequest,
  completeResponse,
  ModelFailure,
} from '../../sandbox/model/index.ts'

/** JSON object that a model must return. */
export interface JsonFormat<Value> {
  readonly maxTokens: number
  /** Schema name; only letters. */
  readonly name: string
  /** JSON Schemas of its fields, all of which are required. */
  readonly properties: Readonly<Record<string, object>>
  /** Returns undefined if the response is invalid. `object` is undefined if the response contains none. */
  read(object: Readonly<Record<string, unknown>> | undefined, answer: string): Value | undefined
  /** Names of the model and its response in error messages. */
  readonly words: { readonly who: string; readonly answer: string }
}

/** Requests one JSON object from a model, at temperature 0. @throws ModelFailure, also for an invalid response */
export async function requestJson<Answer>(
  model: ChatModel,
  messages: ChatRequest['messages'],
  { name, properties, maxTokens, read, words }: JsonFormat<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const required = Object.keys(properties)
  const schema = { type: 'object', properties, required, additionalProperties: false }
  const readText = (answer: string) => read(findObject(answer), answer)
  const isReadable = (answer: string) => readText(answer) !== undefined
  const answerSchema = { name, schema }
  const request = { messages, tools: [], temperature: 0, maxTokens, answerSchema, isReadable }
  const { text } = await completeResponse(model, request, signal)
  const json = readText(text)
  if (json !== undefined) return json
  const excerpt = toExcerpt(text, maxShown)
  throw new ModelFailure(
    excerpt === '' ? `${words.who} returned nothing` : `${words.answer} is invalid: “${excerpt}”`,
  )
}

/** In characters. */
const maxShown = 80
