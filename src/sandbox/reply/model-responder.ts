import { getErrorReason } from '../../lib/error.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { ReplyEvent, ReplyRequest, Responder } from '../engine/reply.ts'
import {
  type ChatMessage,
  type ChatModel,
  type ChatToolCall,
  ModelFailure,
  type ModelRequest,
  parseArguments,
} from '../model/index.ts'
import { type CallTool, type RunToolUse, refuseTool, runTool, type ToolOutcome } from '../tools/call-tool.ts'
import { type EarlierCall, toChatMessages } from './prompt.ts'

interface ModelResponderOptions extends Omit<RunToolUse, 'emit'>, Omit<ModelRequest, 'customUrl' | 'model'> {
  readonly model: ChatModel
  readonly earlier: readonly EarlierCall[]
  readonly tools: readonly CallTool[]
}

const maxRounds = 8
/** In this many rounds running the same call of the same tool is a loop. */
const roundsOfLoop = 3

const apologies = {
  nothingSaid: 'I am sorry, something went wrong on my side. Could you say that again?',
  somethingSaid: 'I am sorry, I lost my thread. Could you say that again?',
} as const

/**
 * Creates a responder that uses a model (interface.md 2.1): speaks its text as it arrives, runs its tools one after another and returns
 * their results to it until it requests no more. Errors of the model become a failure and an apology.
 */
export function createModelResponder(options: ModelResponderOptions): Responder {
  return async (request, emit) => {
    let saidAnything = false
    const emitEvent = (event: ReplyEvent) => {
      if (event.kind === 'message') saidAnything = true
      emit(event)
    }
    try {
      await converse(options, request, emitEvent)
    } catch (error) {
      if (request.signal.aborted) return
      emit({
        kind: 'failure',
        part: 'model',
        message:
          error instanceof ModelFailure
            ? error.message
            : `the reply was interrupted: ${getErrorReason(error)}`,
      })
      emit({ kind: 'message', text: saidAnything ? apologies.somethingSaid : apologies.nothingSaid })
    }
  }
}

async function converse(
  options: ModelResponderOptions,
  request: ReplyRequest,
  emit: (event: ReplyEvent) => void,
): Promise<void> {
  const messages = toChatMessages(options.systemPrompt, options.earlier, request.history)
  let repeats: ReadonlyMap<string, number> = new Map()
  for (let round = 0; ; round++) {
    const { text, calls } = await complete(options, messages, request.signal, emit)
    if (text === '' && calls.length === 0) throw new ModelFailure('the model’s response is empty')
    if (text !== '') emit({ kind: 'answered' })
    if (calls.length === 0) return
    if (round === maxRounds)
      throw new ModelFailure(`the model asked for tools ${maxRounds + 1} times in one reply`)
    repeats = countRounds(calls, repeats)
    messages.push({ role: 'assistant', content: text, toolCalls: calls })
    for (const call of calls) {
      // The reply was abandoned: the caller may have wanted to stop a tool that has not started.
      if (request.signal.aborted) return
      const outcome = await useTool(options, call, emit)
      messages.push({ role: 'tool', toolCallId: call.id, content: outcome.content })
      if (outcome.failure === undefined) emit({ kind: 'answered' })
      if (outcome.ending !== undefined) return emit({ kind: 'ending', ending: outcome.ending })
    }
    if (request.signal.aborted) return
  }
}

/** Counts in how many consecutive rounds each call was requested. @throws ModelFailure for too many */
function countRounds(
  calls: readonly ChatToolCall[],
  before: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const counted = new Map<string, number>()
  for (const { name, arguments: args } of calls) {
    // Spaces that a model writes one time and not the next make no other call.
    const call = `${name} ${JSON.stringify(parseArguments(args) ?? args)}`
    const rounds = (before.get(call) ?? 0) + 1
    if (rounds === roundsOfLoop) throw new ModelFailure(`the model calls ${quoteName(name)} again and again`)
    counted.set(call, rounds)
  }
  return counted
}

/** A name as the model wrote it may be anything, of any length. */
function quoteName(name: string): string {
  return oneLine(name.slice(0, 64))
}

/** One completion; its words are emitted while they come. What came before it broke off is said too. */
async function complete(
  { model, tools, temperature, maxTokens, splitter: delimiter }: ModelResponderOptions,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
  emit: (event: ReplyEvent) => void,
): Promise<{ text: string; calls: ChatToolCall[] }> {
  const splitter = createSplitter(delimiter)
  const calls: ChatToolCall[] = []
  let text = ''
  const emitParts = (parts: readonly SaidPart[]) => {
    for (const part of parts) {
      if (part.kind === 'message') text = text === '' ? part.text : `${text}\n${part.text}`
      emit(part)
    }
  }
  try {
    for await (const delta of model.complete({ messages, tools, temperature, maxTokens }, signal)) {
      if (delta.type === 'text') emitParts(splitter.push(delta.text))
      else calls.push(delta.call)
    }
  } finally {
    if (!signal.aborted) emitParts(splitter.end())
  }
  return { text, calls }
}

async function useTool(
  options: ModelResponderOptions,
  { id, name, arguments: args }: ChatToolCall,
  emit: (event: ReplyEvent) => void,
): Promise<ToolOutcome> {
  const tool = options.tools.find(one => one.name === name)
  const parsed = parseArguments(args)
  const run = { id, name, arguments: parsed ?? args }
  if (tool === undefined)
    return refuseTool(run, `the model called a tool that does not exist: ${quoteName(name)}`, emit)
  if (parsed === undefined)
    return refuseTool(run, `the model’s arguments for ${quoteName(name)} are not a JSON object`, emit)
  return runTool(tool, { ...run, arguments: parsed }, { ...options, emit })
}

type SaidPart = Extract<ReplyEvent, { kind: 'draft' | 'message' }>

/**
 * Splits a text while it arrives (interface.md 2.1, assistantResponseSplitter): more of a message, without any of the delimiter, or the
 * whole of it, in order. Blank messages are none. Without a delimiter all of it is one.
 */
export function createSplitter(delimiter: string | undefined) {
  let message = ''
  /** Text that may be the start of a delimiter. */
  let heldText = ''
  const draft = (text: string): SaidPart[] => {
    message += text
    return text === '' ? [] : [{ kind: 'draft', text }]
  }
  const close = (): SaidPart[] => {
    const text = message.trim()
    message = ''
    return text === '' ? [] : [{ kind: 'message', text }]
  }
  return {
    push(text: string): SaidPart[] {
      if (delimiter === undefined || delimiter === '') return draft(text)
      const pieces = (heldText + text).split(delimiter)
      const last = pieces.pop() ?? ''
      const completeLength = last.length - heldBack(last, delimiter)
      heldText = last.slice(completeLength)
      return [
        ...pieces.flatMap(piece => [...draft(piece), ...close()]),
        ...draft(last.slice(0, completeLength)),
      ]
    },
    /** Returns the rest at the end of the text. */
    end(): SaidPart[] {
      const rest = draft(heldText)
      heldText = ''
      return [...rest, ...close()]
    },
  }
}

/** Returns the number of trailing characters that may start a delimiter. */
function heldBack(text: string, delimiter: string): number {
  for (let length = Math.min(text.length, delimiter.length - 1); length > 0; length--) {
    if (delimiter.startsWith(text.slice(-length))) return length
  }
  return 0
}
