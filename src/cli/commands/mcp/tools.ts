import type { ToolAnnotations } from '@modelcontextprotocol/server'
import * as z from 'zod/mini'
import { approvableActions } from '../../../files/formats/approval.ts'
import { optional, required } from '../../../interface/fields.ts'

const text = () => z.string().check(z.minLength(1), z.maxLength(2000))
const paths = () => z.array(text()).check(z.maxLength(100))
const variables = () => optional(z.record(z.string(), z.string()), 'Values of {{name}}')

/** Only reads files of this machine. */
const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }

function defineTool<Schema extends z.ZodMiniType, const Path extends string>(tool: {
  readonly description: string
  /** Paths of the commands that it runs. None of them has an effect: what has one goes through `prepare`. */
  readonly runs: readonly Path[]
  readonly annotations: ToolAnnotations
  readonly input: Schema
}) {
  return tool
}

/**
 * The tools of `mcp`. A client reads all of this before every conversation, so it is short (test/cli/commands/mcp/tokens.test.ts), and it is
 * constant: no text from files or services reaches it.
 */
export const tools = {
  docs: defineTool({
    description:
      'Read about callyard: a help topic, a command, the JSON Schema of a file, or the rest of a shortened result. Without arguments: the list of topics and commands.',
    annotations: reads,
    runs: ['help', 'schema'],
    input: z.strictObject({
      topic: optional(text(), 'Such as files or exit-codes'),
      command: optional(text(), 'Such as call start'),
      schema: optional(text(), 'assistant, tool, knowledge-base, test, batch, project, …'),
      more: optional(text(), 'Handle of a shortened result'),
    }),
  }),
  validate: defineTool({
    description: 'Check files of the project offline. Errors have file, line and column.',
    annotations: reads,
    runs: ['validate'],
    input: z.strictObject({ paths: optional(paths(), 'Default: the whole folder') }),
  }),
  plan: defineTool({
    description: 'Show what deploying the project would change. Sends nothing.',
    annotations: reads,
    runs: ['plan'],
    input: z.strictObject({ target: optional(text(), 'Section of the lockfile') }),
  }),
  test: defineTool({
    description: 'Run the conversation tests of the project in a sandbox in memory.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    runs: ['test'],
    input: z.strictObject({ paths: optional(paths(), 'Test files. Default: all') }),
  }),
  chat: defineTool({
    description:
      'Talk to an assistant of the project as the caller, offline. Tools are simulated. The first call returns a handle; pass it with each next line.',
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    runs: [],
    input: z.strictObject({
      chat: optional(text(), 'Handle of the chat to continue'),
      assistant: optional(text(), 'File or name, if the project has several'),
      variables: variables(),
      say: optional(text(), 'Next line of the caller'),
    }),
  }),
  calls: defineTool({
    description:
      'Read calls placed from this machine: the log, one call with its transcript (id), or figures of a recording of webhooks.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    runs: ['call list', 'call show', 'report'],
    input: z.strictObject({
      id: optional(text(), 'Call to show'),
      recording: optional(text(), 'Recording file'),
      to: optional(text(), 'Only calls to this number'),
      since: optional(text(), 'Such as 7d'),
      limit: optional(z.int().check(z.gte(1), z.lte(1000)), 'Default: 10'),
    }),
  }),
  prepare: defineTool({
    description:
      'Find out what deploying (apply), a phone call or a batch of calls would do, and request it. Returns a code. At a sandbox, execute carries it out. At a real service, a person must approve it in their own terminal; tell them the code.',
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    runs: [],
    input: z.strictObject({
      action: z.enum(approvableActions),
      target: optional(text(), 'apply: section of the lockfile'),
      from: optional(text(), 'call: number of the assistant'),
      phoneNumberId: optional(text(), 'call: instead of from'),
      to: optional(text(), 'call: number to call'),
      assistant: optional(text(), 'call: file, name or id'),
      variables: variables(),
      batch: optional(text(), 'batch: name or file'),
      maxCalls: optional(z.int().check(z.gte(1)), 'batch: most calls to place'),
    }),
  }),
  execute: defineTool({
    description:
      'Carry out a prepared action at a sandbox, or wait for the decision of the person and return the outcome.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    runs: [],
    input: z.strictObject({
      code: required(text(), 'Code from prepare'),
      waitSeconds: optional(z.int().check(z.gte(0), z.lte(50)), 'Default: 20'),
    }),
  }),
} as const

export type ToolName = keyof typeof tools
export type ToolCommand = (typeof tools)[ToolName]['runs'][number]
export type ToolInput<Name extends ToolName> = z.infer<(typeof tools)[Name]['input']>
