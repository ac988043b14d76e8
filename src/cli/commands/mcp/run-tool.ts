import type { CallToolResult } from '@modelcontextprotocol/server'
import { joinFlag } from '../../../calls/approval/index.ts'
import { isObject } from '../../../lib/json.ts'
import { exitCodeOf } from '../../shell/exit-codes.ts'
import { globalArgv } from '../../shell/flags/flag.ts'
import { failureDocument } from '../../shell/output/failure.ts'
import { continueChat } from './chat.ts'
import { executeAction } from './execute.ts'
import { prepareRequest } from './prepare.ts'
import { formatStored, type McpOutcome, outcomeOfRun, toToolResult } from './result.ts'
import type { ToolContext } from './tool-context.ts'
import type { ToolCommand, ToolInput, ToolName } from './tools.ts'

type Handlers = {
  readonly [Name in ToolName]: (
    input: ToolInput<Name>,
    tool: ToolContext,
  ) => Promise<McpOutcome | CallToolResult>
}

const handlers: Handlers = {
  docs: readDocs,
  validate: ({ paths = ['.'] }, tool) => runOne('validate', ['--', ...paths], tool),
  plan: ({ target }, tool) => runOne('plan', joinFlag('target', target), tool),
  test: ({ paths = [] }, tool) => runOne('test', ['--', ...paths], tool, withoutPassed),
  chat: continueChat,
  calls: readCalls,
  prepare: prepareRequest,
  execute: executeAction,
}

/** Runs a tool. A failure is a result as well, so that the agent can correct its input. */
export async function callTool<Name extends ToolName>(
  name: Name,
  input: ToolInput<Name>,
  tool: ToolContext,
): Promise<CallToolResult> {
  try {
    const outcome = await handlers[name](input, tool)
    return 'content' in outcome ? outcome : await toToolResult(outcome, tool.results)
  } catch (thrown) {
    const error = tool.context.withHints(thrown)
    const exitCode = exitCodeOf(error)
    const run = { exitCode, result: { kind: 'error', ...failureDocument(error) }, stdout: '', stderr: '' }
    return toToolResult(outcomeOfRun(`callyard ${name}`, run), tool.results)
  }
}

async function runOne(
  command: ToolCommand,
  args: readonly string[],
  tool: ToolContext,
  shorten: (result: unknown) => unknown = result => result,
): Promise<McpOutcome> {
  const words = [...globalArgv(tool.context.options), ...command.split(' '), ...args]
  const run = await tool.context.runCommand(words, { signal: tool.signal })
  return outcomeOfRun(`callyard ${command}`, { ...run, result: shorten(run.result) })
}

/** Passed tests keep only their names: transcripts of many calls would hide the failures. */
function withoutPassed(result: unknown): unknown {
  if (!isObject(result) || !Array.isArray(result.tests)) return result
  const tests = result.tests.map(test => {
    if (!isObject(test) || test.status !== 'passed') return test
    const { id, file, status } = test
    return { id, file, status }
  })
  return { ...result, tests }
}

async function readDocs(
  { topic, command, schema, more }: ToolInput<'docs'>,
  tool: ToolContext,
): Promise<McpOutcome | CallToolResult> {
  if (more !== undefined) {
    const storedResult = await formatStored(more, tool.results)
    return (
      storedResult ?? {
        summary: 'No such handle. Results are kept for a day.',
        source: 'callyard mcp',
        isError: true,
      }
    )
  }
  if (schema !== undefined) return runOne('schema', ['--', schema], tool)
  if (topic !== undefined) return runOne('help', ['--', topic], tool)
  if (command !== undefined) return runOne('help', ['--', ...command.split(' ')], tool)
  const run = (words: readonly string[]) =>
    tool.context.runCommand(words, { signal: tool.signal, json: false })
  const [topics, commands] = [await run(['help', 'topics']), await run(['help'])]
  return { summary: 'Done.', source: 'callyard help', data: `${topics.stdout}\n${commands.stdout}` }
}

function readCalls(
  { id, recording, to, since, limit = 10 }: ToolInput<'calls'>,
  tool: ToolContext,
): Promise<McpOutcome> {
  if (id !== undefined) return runOne('call show', [...joinFlag('events', recording), '--', id], tool)
  if (recording !== undefined) return runOne('report', ['--', recording], tool)
  const flags = [...joinFlag('to', to), ...joinFlag('since', since), `--limit=${limit}`]
  return runOne('call list', flags, tool)
}
