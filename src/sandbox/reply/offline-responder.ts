import * as z from 'zod/mini'
import { saysPhrase } from '../engine/end-phrases.ts'
import type { ReplyEvent, ReplyRequest, Responder } from '../engine/reply.ts'
import type { CallTool } from '../tools/call-tool.ts'
import type { Knowledge } from '../tools/knowledge.ts'
import { type MatchedTool, matchFunctionTool, whyNotCalled } from './match-function-tool.ts'
import { type Intent, intentOf } from './offline-intents.ts'
import { askForDay, functionToolLine, notFound, offlineLine, withoutKnowledge } from './offline-lines.ts'
import { type LaterTools, runTool } from './run-tool.ts'

interface OfflineResponderOptions {
  readonly knowledge: Knowledge
  /** Empty: nothing is looked up. */
  readonly knowledgeBaseIds: readonly string[]
  /** Those of the call. */
  readonly tools: readonly CallTool[]
  /** “Friday” is the one after it. */
  readonly placedAt: Date
  readonly later: LaterTools
  /** Aborts when the call is over. */
  readonly callEnded: AbortSignal
}

type Emit = (event: ReplyEvent) => void

/**
 * The assistant of one call without a model: the same lines get the same replies. Each line of the caller runs the
 * predefined tool that it asks for (see `intentOf`); else the function tool whose words it uses (`matchFunctionTool`) or
 * gets the answer of the FAQ entry that is about it, whichever is about more of the line, the entry where both are; else,
 * once per reply, it gets a line that says that this is the sandbox.
 */
export function createOfflineResponder({
  knowledge,
  knowledgeBaseIds,
  tools,
  placedAt,
  later,
  callEnded,
}: OfflineResponderOptions): Responder {
  const offered = new Map(
    tools.flatMap(tool => (tool.predefined === undefined ? [] : [[tool.predefined, tool]])),
  )
  let runs = 0

  const callFunction = async ({ tool, arguments: given }: MatchedTool, emit: Emit) => {
    runs += 1
    const run = { id: `offline-${runs}`, name: tool.name, arguments: given }
    const outcome = await runTool(tool, run, { emit, later, callEnded })
    const { text, done } = functionToolLine(tool.name, given, outcome)
    say(text, emit)
    if (done) emit({ type: 'answered' })
  }
  /** Whether the call ends by it. */
  const runFor = async (intent: Intent, tool: CallTool, line: string, emit: Emit) => {
    runs += 1
    const run = { id: `offline-${runs}`, name: tool.name, arguments: withTarget(intent, tool, line) }
    const outcome = await runTool(tool, run, { emit, later, callEnded })
    if (outcome.ending !== undefined) {
      emit({ type: 'answered' })
      emit({ type: 'ending', ending: outcome.ending })
      return true
    }
    const { text, done } = offlineLine(intent.tool, outcome)
    say(text, emit)
    if (done) emit({ type: 'answered' })
    return false
  }
  const stopgap = knowledgeBaseIds.length === 0 ? withoutKnowledge : notFound

  return async (request, emit) => {
    const asked = { askedForDay: lastSaid(request) === askForDay }
    let excused = false
    for (const line of request.unanswered) {
      if (request.signal.aborted) return
      const intent = intentOf(line, offered, asked)
      const tool = intent && offered.get(intent.tool)
      if (intent !== undefined && tool !== undefined) {
        if (await runFor(intent, tool, line, emit)) return
        continue
      }
      const hit = await knowledge.search(knowledgeBaseIds, line)
      const match = matchFunctionTool(line, tools, placedAt)
      const reason = match && match.share > (hit?.share ?? 0) ? await whyNotCalled(match) : undefined
      if (request.signal.aborted) return
      if (match !== undefined && match.share > (hit?.share ?? 0) && reason === undefined) {
        await callFunction(match, emit)
        continue
      }
      if (match !== undefined && reason !== undefined)
        emit({ type: 'failure', part: 'tool', message: `tool ${match.tool.name} is not called: ${reason}` })
      if (hit !== undefined) {
        say(hit.entry.answer, emit)
        emit({ type: 'answered' })
      } else if (!excused) {
        excused = true
        say(stopgap, emit)
      }
    }
  }
}

/** Word by word, as a model would. */
function say(text: string, emit: Emit): void {
  for (const word of text.split(/(?<= )/)) emit({ type: 'draft', text: word })
  emit({ type: 'message', text })
}

function lastSaid({ history }: ReplyRequest): string | undefined {
  const last = history.findLast(item => item.type === 'said' && item.role === 'assistant')
  return last?.type === 'said' ? last.text : undefined
}

/** Whom the tool offers by name, if there is a choice. */
const choiceSchema = z.looseObject({
  properties: z.looseObject({ name: z.looseObject({ enum: z.array(z.string()) }) }),
})

/** Of several targets the one that the line names, else the first. */
function withTarget(intent: Intent, { parameters }: CallTool, line: string): Intent['arguments'] {
  const choice = choiceSchema.safeParse(parameters)
  if (intent.tool !== 'callForward' || !choice.success) return intent.arguments
  const names = choice.data.properties.name.enum
  return { name: names.find(name => saysPhrase(line, [name])) ?? names[0] }
}
