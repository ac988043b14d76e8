import { isObject, isText } from '../../lib/json.ts'
import type { ReplyEvent, ReplyRequest, Responder } from '../engine/reply.ts'
import { createStore, type RecordEntry } from '../records/store.ts'
import {
  type CallTool,
  type RunToolUse,
  runTool,
  type ToolArguments,
  type ToolOutcome,
} from '../tools/call-tool.ts'
import { createKnowledge, type Knowledge, type KnowledgeSearch } from '../tools/knowledge.ts'
import { askedTool } from '../tools/tools-of.ts'
import { matchFunctionTool, whyNotCalled } from './match-function-tool.ts'

const withoutKnowledge = 'This is the callyard sandbox: no model is connected, so I can only listen.'
const notFound = 'This is the callyard sandbox: no entry of my knowledge base is about that.'

/** Replies of an assistant without a model that does not know. */
export const fallbackLines: readonly string[] = [withoutKnowledge, notFound]

interface OfflineResponderOptions extends Omit<RunToolUse, 'emit'> {
  /** Part of the tool call ids that is unique to this call. */
  readonly callId: string
  readonly knowledge: Knowledge
  /** Empty: nothing is looked up. */
  readonly knowledgeBaseIds: readonly string[]
  readonly tools: readonly CallTool[]
  /** “Friday” is the one after it. */
  readonly placedAt: Date
  /** Fills the variables of FAQ texts (interface.md 2.6). */
  readonly fill?: ((text: string) => string) | undefined
  onSearch?(search: KnowledgeSearch): void
}

/** Entries that a search is reported with; the best one is said. */
const maxHits = 5

type Emit = (event: ReplyEvent) => void

/**
 * Creates the assistant of one call without a model: the same lines get the same replies. Each line of the caller runs the predefined
 * tool that it requests (`askedTool`); else the function tool (`matchFunctionTool`) or the FAQ entry that covers more of the line,
 * preferring the entry; else, once per reply, it gets a line that identifies the sandbox.
 */
export function createOfflineResponder(options: OfflineResponderOptions): Responder {
  const { knowledge, knowledgeBaseIds, tools, placedAt, fill = text => text, onSearch } = options
  const stopgap = knowledgeBaseIds.length === 0 ? withoutKnowledge : notFound
  let runs = 0

  /** Runs a tool and says what came of it. @returns whether the call ends by it */
  const use = async (tool: CallTool, args: ToolArguments, emit: Emit, missed?: string) => {
    runs += 1
    const run = { id: `offline-${options.callId}-${runs}`, name: tool.name, arguments: args }
    const outcome = await runTool(tool, run, { ...options, emit })
    const { ending } = outcome
    const spokenResult = missed === undefined ? speakResult(tool.name, args, outcome) : outcome.spokenText
    if (ending === undefined)
      say(spokenResult ?? missed ?? `This is the callyard sandbox: ${tool.name} did not work.`, emit)
    if (spokenResult !== undefined || ending !== undefined) emit({ kind: 'answered' })
    if (ending !== undefined) emit({ kind: 'ending', ending })
    return ending !== undefined
  }

  return async (request, emit) => {
    const previous = lastSaid(request)
    let excused = false
    for (const line of request.unanswered) {
      if (request.signal.aborted) return
      const toolMatch = askedTool(line, tools, previous)
      if (toolMatch !== undefined) {
        if (await use(toolMatch.tool, toolMatch.arguments, emit, toolMatch.missed)) return
        continue
      }
      const hits = await knowledge.find(knowledgeBaseIds, line, maxHits)
      const [hit] = hits
      const answer = hit && fill(hit.entry.answer)
      const match = matchFunctionTool(line, tools, placedAt)
      const closer = match !== undefined && match.share > (hit?.share ?? 0) ? match : undefined
      const reason = closer && (await whyNotCalled(closer))
      if (request.signal.aborted) return
      const functionMatch = reason === undefined ? closer : undefined
      onSearch?.({ question: line, hits, used: hit !== undefined && functionMatch === undefined })
      if (functionMatch !== undefined) {
        await use(functionMatch.tool, functionMatch.arguments, emit)
        continue
      }
      if (closer !== undefined)
        emit({ kind: 'failure', part: 'tool', message: `tool ${closer.tool.name} is not called: ${reason}` })
      if (answer !== undefined) {
        say(answer, emit)
        emit({ kind: 'answered' })
      } else if (!excused) {
        excused = true
        say(stopgap, emit, true)
      }
    }
  }
}

/** Word by word, as a model would. */
function say(text: string, emit: Emit, fallback?: true): void {
  for (const word of text.split(/(?<= )/)) emit({ kind: 'draft', text: word })
  emit({ kind: 'message', text, ...(fallback === undefined ? {} : { fallback }) })
}

function lastSaid({ history }: ReplyRequest): string | undefined {
  const last = history.findLast(item => item.type === 'said' && item.role === 'assistant')
  return last?.type === 'said' ? last.text : undefined
}

/** Returns the spoken form of a function tool's result without a model; undefined if it failed. Lines of the sandbox itself say so. */
function speakResult(
  name: string,
  args: ToolArguments,
  { content, failure, simulated }: ToolOutcome,
): string | undefined {
  if (failure !== undefined) return undefined
  if (simulated === true)
    return `This is the callyard sandbox in place of your server: ${name} is done${withFacts(args)}. Nothing real happened.`
  const response: unknown = JSON.parse(content)
  const spokenField = isObject(response) ? spokenFields.map(field => response[field]).find(isText) : response
  if (isText(spokenField)) return spokenField
  return `This is the callyard sandbox: ${name} answered${withFacts(isObject(response) ? response : {})}.`
}

/** Fields of a result that are probably meant to be said. */
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

type KnowledgeBase = Extract<RecordEntry, { kind: 'faq' }>

/** Searches knowledge bases for one question after the other, as calls do; gives at most `most` hits, the best first. */
export function openKnowledge(bases: readonly KnowledgeBase[]) {
  const knowledge = createKnowledge(createStore(bases))
  const knowledgeBaseIds = bases.map(base => base.knowledgeBaseId)
  return (question: string, most: number) => knowledge.find(knowledgeBaseIds, question, most)
}

/**
 * Searches knowledge bases as a call does: returns at most `most` hits, best first, each with its original record, and the reply of an
 * assistant with these knowledge bases and neither model nor tools. Without hits, no entry matches the question.
 */
export async function askKnowledge(bases: readonly KnowledgeBase[], question: string, most: number) {
  const knowledge = createKnowledge(createStore(bases))
  const knowledgeBaseIds = bases.map(base => base.knowledgeBaseId)
  const { signal } = new AbortController()
  const spokenTexts: string[] = []
  const respond = createOfflineResponder({
    callId: '',
    knowledge,
    knowledgeBaseIds,
    tools: [],
    placedAt: new Date(0),
    later: { say: () => undefined, work: () => undefined },
  })
  await respond({ history: [], unanswered: [question], signal }, event => {
    if (event.kind === 'message') spokenTexts.push(event.text)
  })
  return { hits: await knowledge.find(knowledgeBaseIds, question, most), says: spokenTexts.join(' ') }
}
