import * as z from 'zod/mini'
import { predefinedToolsSchema } from '../../interface/turn-taking.ts'
import type { CallForwardTarget } from '../engine/reply.ts'
import type { CallTool, PredefinedToolName } from './call-tool.ts'
import { endCallTool, forwardTool } from './ending-tools.ts'
import { createFunctionTool, type FunctionToolDeps } from './function-tool.ts'
import { readFunctionTool } from './function-tool-record.ts'
import { type Knowledge, knowledgeTool } from './knowledge.ts'
import { appointmentTool, volumeTool, waitListTool } from './simulated-tools.ts'

/** What an assistant says of its tools: interface.md 2.1 and 2.3. */
export interface ToolConfig {
  readonly callId: string
  /** The stored tools of assistantToolIds (interface.md 2.5), in their order. */
  readonly functionTools: readonly Readonly<Record<string, unknown>>[]
  readonly switches: Readonly<Partial<Record<PredefinedToolName, boolean | undefined>>>
  readonly knowledgeBaseIds: readonly string[]
  readonly endCallMessage: string
  readonly endCallToolDescription?: string | undefined
  readonly forwardTargets: readonly CallForwardTarget[]
  /** Fills the variables of what is spoken (interface.md 2.6); without it texts stay as they are. */
  readonly fill?: ((text: string) => string) | undefined
}

export interface ToolDeps extends FunctionToolDeps {
  readonly knowledge: Knowledge
}

interface OfferedTools {
  readonly tools: readonly CallTool[]
  /** What is not offered, or not as the assistant says, and why: one sentence each. */
  readonly problems: readonly string[]
}

/**
 * The tools of one call: its function tools, then the predefined ones that are switched on. Of tools with one name the
 * first is offered. Made anew for each call: the volume is the call's own.
 */
export function toolsOf(brief: ToolConfig, deps: ToolDeps): OfferedTools {
  const tools = new Map<string, CallTool>()
  const problems: string[] = []
  for (const record of brief.functionTools) {
    const read = readFunctionTool(record, brief.fill)
    problems.push(...read.problems)
    if (read.tool === undefined) continue
    const { name } = read.tool
    if (tools.has(name)) problems.push(`two tools are called ${name}: only the first is offered`)
    else tools.set(name, createFunctionTool(read.tool, deps))
  }
  for (const name of z.keyof(predefinedToolsSchema).options) {
    if (brief.switches[name] !== true) continue
    const tool = predefined[name](brief, deps)
    if (typeof tool === 'string') problems.push(tool)
    else if (tools.has(tool.name))
      problems.push(`the predefined tool ${name} is not offered: a function tool is called ${tool.name} too`)
    else tools.set(tool.name, tool)
  }
  return { tools: [...tools.values()], problems }
}

/** Each makes its tool, or says why there is none. */
const predefined: Readonly<
  Record<PredefinedToolName, (brief: ToolConfig, deps: ToolDeps) => CallTool | string>
> = {
  knowledgeBase: ({ knowledgeBaseIds }, { knowledge }) =>
    knowledgeBaseIds.length === 0
      ? 'the predefined tool knowledgeBase is not offered: assistantKnowledgeBaseIds names no knowledge base'
      : knowledgeTool(knowledgeBaseIds, knowledge),
  endCall: ({ endCallMessage, endCallToolDescription }) =>
    endCallTool(endCallMessage, endCallToolDescription),
  appointment: ({ callId }) => appointmentTool(callId),
  volumeControl: () => volumeTool(),
  waitList: ({ callId }) => waitListTool(callId),
  callForward: ({ forwardTargets }) => forwardTool(forwardTargets),
}
