import * as z from 'zod/mini'
import { saysPhrase } from '../call/end-phrases.ts'
import type { CallTool } from '../tools/call-tool.ts'
import type { Knowledge } from '../tools/knowledge.ts'
import { type Intent, intentOf } from './offline-intents.ts'
import { askForDay, notFound, offlineLine, withoutKnowledge } from './offline-lines.ts'
import type { ReplyEvent, ReplyRequest, Responder } from './reply.ts'
import { type LaterTools, runTool } from './run-tool.ts'

export interface OfflineResponderOptions {
  readonly knowledge: Knowledge
  /** Empty: nothing is looked up. */
  readonly knowledgeBaseIds: readonly string[]
  /** Those of the call; of them only predefined ones are run. */
  readonly tools: readonly CallTool[]
  readonly later: LaterTools
  /** Aborts when the call is over. */
  readonly callEnded: AbortSignal
}

type Emit = (event: ReplyEvent) => void

/**
 * The assistant of one call without a model: the same lines get the same replies. Each line of the caller runs the
 * predefined tool that it asks for (see `intentOf`), else gets the answer of the FAQ entry that is about it, else, once
 * per reply, a line that says that this is the sandbox.
 */
export function createOfflineResponder({
  knowledge,
  knowledgeBaseIds,
  tools,
  later,
  callEnded,
}: OfflineResponderOptions): Responder {
  const offered = new Map(
    tools.flatMap(tool => (tool.predefined === undefined ? [] : [[tool.predefined, tool]])),
  )
  let runs = 0

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
      const entry = await knowledge.search(knowledgeBaseIds, line)
      if (request.signal.aborted) return
      if (entry !== undefined) {
        say(entry.answer, emit)
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
