import type { CallTool, ToolOutcome } from '../tools/call-tool.ts'
import type { ChatMessage, ChatModel, ChatToolCall } from './chat-model.ts'
import { ModelFailure } from './model-failure.ts'
import { type EarlierCall, toChatMessages } from './prompt.ts'
import type { ReplyEvent, ReplyRequest, Responder } from './reply.ts'
import { createSplitter } from './response-splitter.ts'
import { type LaterTools, parseArguments, refuseTool, runTool } from './run-tool.ts'

interface ModelResponderOptions {
  readonly model: ChatModel
  readonly systemPrompt: string
  readonly earlier: readonly EarlierCall[]
  readonly temperature: number
  readonly maxTokens: number
  /** assistantResponseSplitter. */
  readonly splitter: string | undefined
  readonly tools: readonly CallTool[]
  readonly later: LaterTools
  /** Aborts when the call is over. */
  readonly callEnded: AbortSignal
}

const mostRounds = 8
/** More calls of one tool with the same arguments in one reply are a loop. */
const mostRepeats = 2

const apologies = {
  nothingSaid: 'I am sorry, something went wrong on my side. Could you say that again?',
  somethingSaid: 'I am sorry, I lost my thread. Could you say that again?',
} as const

/**
 * Replies by a model (interface.md 2.1): its text is said as it arrives, its tools are run one after another and it is told
 * what they answered, until it has nothing more to ask for. Whatever the model does wrong becomes a failure and an apology.
 */
export function createModelResponder(options: ModelResponderOptions): Responder {
  return async (request, emit) => {
    const said = { anything: false }
    const tell = (event: ReplyEvent) => {
      if (event.type === 'message') said.anything = true
      emit(event)
    }
    try {
      await converse(options, request, tell)
    } catch (error) {
      if (request.signal.aborted) return
      emit({
        type: 'failure',
        part: 'model',
        message: error instanceof ModelFailure ? error.message : `the reply broke: ${String(error)}`,
      })
      emit({ type: 'message', text: said.anything ? apologies.somethingSaid : apologies.nothingSaid })
    }
  }
}

async function converse(
  options: ModelResponderOptions,
  request: ReplyRequest,
  emit: (event: ReplyEvent) => void,
): Promise<void> {
  const messages = toChatMessages({ ...options, history: request.history })
  const repeats = new Map<string, number>()
  for (let round = 0; ; round++) {
    const { text, calls } = await complete(options, messages, request.signal, emit)
    if (text === '' && calls.length === 0) throw new ModelFailure('the model answered nothing')
    if (text !== '') emit({ type: 'answered' })
    if (calls.length === 0) return
    if (round === mostRounds)
      throw new ModelFailure(`the model asked for tools ${mostRounds + 1} times in one reply`)
    messages.push({ role: 'assistant', content: text, toolCalls: calls })
    let over = false
    for (const call of calls) {
      const key = `${call.name} ${call.arguments}`
      const times = (repeats.get(key) ?? 0) + 1
      if (times > mostRepeats) throw new ModelFailure(`the model calls ${call.name} again and again`)
      repeats.set(key, times)
      const outcome = await useTool(options, call, emit)
      messages.push({ role: 'tool', toolCallId: call.id, content: outcome.content })
      if (outcome.failure === undefined) emit({ type: 'answered' })
      if (outcome.ending !== undefined) {
        over = true
        emit({ type: 'ending', ending: outcome.ending })
      }
    }
    if (over || request.signal.aborted) return
  }
}

/** One completion; what it says is told while it comes. What came before it broke off is said too. */
async function complete(
  { model, tools, temperature, maxTokens, splitter: delimiter }: ModelResponderOptions,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
  emit: (event: ReplyEvent) => void,
): Promise<{ text: string; calls: ChatToolCall[] }> {
  const splitter = createSplitter(delimiter)
  const calls: ChatToolCall[] = []
  let text = ''
  const tell = (parts: ReturnType<typeof splitter.push>) => {
    for (const part of parts) {
      if (part.type === 'segment') text = text === '' ? part.text : `${text}\n${part.text}`
      emit({ type: part.type === 'segment' ? 'message' : 'draft', text: part.text })
    }
  }
  try {
    for await (const delta of model.complete({ messages, tools, temperature, maxTokens }, signal)) {
      if (delta.type === 'text') tell(splitter.push(delta.text))
      else calls.push(delta.call)
    }
  } finally {
    if (!signal.aborted) tell(splitter.end())
  }
  return { text, calls }
}

async function useTool(
  { tools, later, callEnded }: ModelResponderOptions,
  { id, name, arguments: given }: ChatToolCall,
  emit: (event: ReplyEvent) => void,
): Promise<ToolOutcome> {
  const tool = tools.find(one => one.name === name)
  const parsed = parseArguments(given)
  const run = { id, name, arguments: parsed ?? given }
  if (tool === undefined) return refuseTool(run, `the model called a tool that does not exist: ${name}`, emit)
  if (parsed === undefined)
    return refuseTool(run, `the model’s arguments for ${name} are not a JSON object`, emit)
  return runTool(tool, { ...run, arguments: parsed }, { emit, later, callEnded })
}
