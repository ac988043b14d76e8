import * as z from 'zod/mini'
import { isObject } from '../../../lib/json.ts'
import { globalArgv } from '../../shell/flags/flag.ts'
import { type McpOutcome, outcomeOfRun } from './result.ts'
import { createHandleStore } from './result-store.ts'
import type { ToolContext } from './tool-context.ts'
import type { ToolInput } from './tools.ts'

const chatSchema = z.object({
  cwd: z.string(),
  assistant: z.optional(z.string()),
  variables: z.record(z.string(), z.string()),
  lines: z.array(z.string()),
  /** Events that the agent has seen. */
  seen: z.int(),
})

type ChatState = z.infer<typeof chatSchema>

const source = 'callyard call chat'

/**
 * Says the next line of a chat. Its state on disk is the lines of the caller: the call is held again from its beginning each time, offline
 * and with the same seed, so it takes the same course, and every file is read as it is now.
 */
export async function continueChat(
  { chat, assistant, variables = {}, say }: ToolInput<'chat'>,
  { context, signal }: ToolContext,
): Promise<McpOutcome> {
  const store = createHandleStore('chats', chatSchema, context)
  const earlier = chat === undefined ? undefined : store.read(chat)
  if (chat !== undefined && earlier?.cwd !== context.cwd)
    return { summary: 'No such chat in this folder. Chats are kept for a day.', source, isError: true }
  const session: ChatState = earlier ?? { cwd: context.cwd, assistant, variables, lines: [], seen: 0 }
  const lines = say === undefined ? session.lines : [...session.lines, lineOf(say)]
  const run = await context.runCommand([...globalArgv(context.options), ...argvOfChat(session)], {
    signal,
    input: lines.map(line => `${line}\n`).join(''),
  })
  const events = eventsOf(run.result)
  if (run.exitCode !== 0) return outcomeOfRun(source, run)
  const state = { ...session, lines, seen: events.length }
  const handle = chat ?? (await store.add(state))
  if (chat !== undefined) await store.save(chat, state)
  const isOver = lines.at(-1)?.startsWith('/hangup') === true || endedByAssistant(run.result)
  return {
    summary: `Chat ${handle}${isOver ? ' has ended.' : '.'}`,
    next: isOver ? [] : [`chat {"chat":"${handle}","say":"…"}`],
    source,
    data: events.slice(session.seen),
  }
}

function argvOfChat({ assistant, variables }: ChatState): string[] {
  return [
    ...['call', 'chat', '--offline', '--seed=1'],
    ...Object.entries(variables).map(([name, value]) => `--var=${name}=${value}`),
    ...(assistant === undefined ? [] : ['--', assistant]),
  ]
}

/** Commands of a chat that belong to the caller; others, which write files, are said as they are. */
const callerCommands = /^\/(hangup|say-nothing|interrupt|keys)\b/

function lineOf(say: string): string {
  const line = say.replaceAll(/\s+/g, ' ').trim()
  return line.startsWith('/') && !callerCommands.test(line) ? `/${line}` : line
}

/** Messages, tools and failures; the statuses of a call that ends with the input are left out. */
function eventsOf(result: unknown): readonly unknown[] {
  const kinds = ['message', 'tool-started', 'tool-ended', 'failure']
  return [result].flat().flatMap(event => {
    if (!isObject(event) || !kinds.includes(String(event.kind))) return []
    const { callId: _, messageId: __, ...fields } = event
    return [fields]
  })
}

function endedByAssistant(result: unknown): boolean {
  const last = [result].flat().findLast(event => isObject(event) && event.kind === 'status')
  const record = isObject(last) && isObject(last.record) ? last.record : {}
  return record.callEndTriggerBy !== undefined && record.callEndTriggerBy !== 'user'
}
