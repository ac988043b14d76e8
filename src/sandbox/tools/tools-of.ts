import * as z from 'zod/mini'
import { type PredefinedToolName, predefinedToolNames, predefinedToolsSchema } from '../../interface/tool.ts'
import { lazy } from '../../lib/lazy.ts'
import { type CallTool, type PredefinedTool, type ToolConfig, toOutcome, toRejection } from './call-tool.ts'
import { createFunctionTool, type FunctionToolDeps } from './function-tool.ts'
import { readFunctionTool } from './function-tool-record.ts'
import type { Knowledge, KnowledgeSearch } from './knowledge.ts'
import { predefinedTools } from './predefined-tools.ts'

export interface ToolDeps extends FunctionToolDeps {
  readonly knowledge: Knowledge
  onSearch?(search: KnowledgeSearch): void
}

/** In the order of the interface. */
const predefinedNames = lazy(() => z.keyof(predefinedToolsSchema()).options)

/**
 * Every tool of assistantPredefinedTools (interface.md 2.3): each makes itself for one call, or says why it is not offered.
 * Without a model a line that asks for several gets the first of them in this order.
 */
const toolMakers = { ...predefinedTools, knowledgeBase } satisfies Record<
  PredefinedToolName,
  (config: ToolConfig, deps: ToolDeps) => PredefinedTool | string
>

/**
 * The tools of one call: its function tools, then the predefined ones that are switched on, in the order of the interface.
 * Of tools with one name the first is offered. What is not offered, or not as the assistant says, is a problem: one sentence each.
 */
export function selectTools(config: ToolConfig, deps: ToolDeps) {
  const tools = new Map<string, CallTool>()
  const problems: string[] = []
  for (const record of config.functionTools) {
    const parsedTool = readFunctionTool(record, config.fill)
    problems.push(...parsedTool.problems)
    if (parsedTool.tool === undefined) continue
    const { name } = parsedTool.tool
    if (tools.has(name)) problems.push(`two tools are called ${name}: only the first is offered`)
    else tools.set(name, createFunctionTool(parsedTool.tool, deps))
  }
  for (const predefined of predefinedNames()) {
    if (config.switches[predefined] !== true) continue
    const name = predefinedToolNames[predefined]
    const tool = toolMakers[predefined](config, deps)
    const notOffered = (reason: string) =>
      problems.push(`the predefined tool ${predefined} is not offered: ${reason}`)
    if (typeof tool === 'string') notOffered(tool)
    else if (tools.has(name)) notOffered(`a function tool is called ${name} too`)
    else tools.set(name, { ...tool, name, predefined })
  }
  return { tools: [...tools.values()], problems }
}

/** Finds the predefined tool that a line of the caller requests, with arguments. `previous` is the assistant's last message. */
export function askedTool(line: string, tools: readonly CallTool[], previous?: string) {
  for (const name of Object.keys(toolMakers)) {
    const tool = tools.find(({ predefined }) => predefined === name)
    const args = tool?.offline?.argumentsFor(line, previous)
    if (tool?.offline !== undefined && args !== undefined)
      return { tool, arguments: args, missed: tool.offline.missed }
  }
  return undefined
}

const maxEntries = 3

/** interface.md 2.3, knowledgeBase: the model looks into the FAQ of the assistant's knowledge bases. */
function knowledgeBase(
  { knowledgeBaseIds, fill }: ToolConfig,
  { knowledge, onSearch }: ToolDeps,
): PredefinedTool | string {
  if (knowledgeBaseIds.length === 0) return 'assistantKnowledgeBaseIds names no knowledge base'
  return {
    description:
      'Searches the questions and answers of the knowledge base. Use it before you answer what the caller wants to know.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What the caller wants to know, in a few words' } },
      required: ['query'],
    },
    async run({ arguments: { query } }) {
      if (typeof query !== 'string' || query.trim() === '') return toRejection('query is missing: a text')
      const hits = await knowledge.find(knowledgeBaseIds, query, maxEntries)
      onSearch?.({ question: query, hits, used: hits.length > 0 })
      const results = hits.map(({ entry: { question, answer, category } }) => ({
        question,
        answer: fill(answer),
        ...(typeof category === 'string' ? { category } : {}),
      }))
      return toOutcome({ results })
    },
  }
}
