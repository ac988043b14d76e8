import { startModelServer } from '../../helpers/model-server.ts'
import {
  createTool,
  startTestSandbox,
  type TestSandbox,
  type TestSandboxOptions,
  talk,
} from '../../helpers/test-sandbox.ts'

interface ToolCall {
  readonly name: string
  readonly content: string
  readonly failure?: string
  readonly simulated?: true
}

interface Use {
  /** Tool that the model uses, with its arguments; undefined for none. */
  readonly use?: readonly [name: string, given: unknown]
  readonly assistant?: Record<string, unknown>
  /** Function tools of the assistant. */
  readonly tools?: readonly Record<string, unknown>[]
  readonly fields?: Record<string, unknown>
  readonly options?: TestSandboxOptions
  prepare?(sandbox: TestSandbox): Promise<unknown>
  /** Called when the model has the result. */
  readonly onResult?: (() => void) | undefined
}

/** Has a model use a tool in a call of one line, and returns the call with what became of the tool. */
export async function useTool({
  use,
  assistant = {},
  tools = [],
  fields,
  options,
  prepare = async () => {},
  onResult = () => {},
}: Use) {
  const model = await startModelServer((_body, index) => {
    if (use !== undefined && index === 0) return { call: use[0], with: use[1] }
    onResult()
    return { say: 'As you wish.' }
  })
  const sandbox = await startTestSandbox({ llm: { url: model.url }, ...options })
  await prepare(sandbox)
  const assistantToolIds: unknown[] = []
  for (const tool of tools) assistantToolIds.push((await createTool(sandbox, tool))._id)
  const record = await talk(sandbox, 'Please', { assistantToolIds, ...assistant }, fields)
  const [toolCall] = (record.toolCalls ?? []) as readonly ToolCall[]
  return {
    record,
    toolCall,
    /** Result for the model. */
    result: toolCall === undefined ? undefined : JSON.parse(toolCall.content),
    said: record.messages.flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])),
    /** Functions as the model sees them. */
    offered: (model.requests[0]?.body.tools ?? []).map(tool => tool.function),
    warnings: sandbox.events.flatMap(event => (event.kind === 'warning' ? [event.message] : [])),
  }
}
