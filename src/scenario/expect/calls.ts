import { predefinedToolNames } from '../../interface/tool.ts'
import type { Expectation, ExpectedCall } from '../test-case.ts'
import type { ObservedTool, UnlocatedFailure } from '../verdict.ts'
import { diffValue } from './value.ts'

type OfCalls = Extract<Expectation, { kind: 'calls' | 'never-calls' | 'calls-in-order' }>

/** Checks tool calls against an expectation. Tools are identified by function name. */
export function checkCalls(
  expected: OfCalls,
  tools: readonly ObservedTool[],
): UnlocatedFailure | false | undefined {
  if (expected.kind === 'calls') return checkOneCall(expected, tools)
  if (expected.kind === 'calls-in-order') return checkOrder(expected.calls, tools)
  const { tool } = expected
  return (
    tools.some(({ name }) => name === tool) && { code: 'called-unwanted', details: { tool, called: tools } }
  )
}

/** Requires one matching call. The failure reports the call with the fewest differences, the last of several. */
function checkOneCall(
  { tool, arguments: expected }: ExpectedCall,
  tools: readonly ObservedTool[],
): UnlocatedFailure | undefined {
  const [nearest] = tools
    .filter(({ name }) => name === tool)
    .map(call => diffValue(expected, call.arguments))
    .toReversed()
    .sort((one, other) => one.length - other.length)
  const details = { tool, arguments: expected, called: tools }
  if (nearest === undefined) return { code: 'not-called', details }
  const [first] = nearest
  return (
    first && { code: 'wrong-arguments', details: { ...details, differs: first.path, actual: first.actual } }
  )
}

/** Ignores predefined tools unless the list names one, because ending a call is rarely part of the expected order. */
function checkOrder(
  calls: readonly ExpectedCall[],
  allTools: readonly ObservedTool[],
): UnlocatedFailure | undefined {
  const namesPredefined = calls.some(({ tool }) => predefined.has(tool))
  const tools = namesPredefined ? allTools : allTools.filter(({ name }) => !predefined.has(name))
  const isSameOrder =
    tools.length === calls.length && calls.every(({ tool }, index) => tools[index]?.name === tool)
  if (!isSameOrder) return { code: 'wrong-order', details: { calls, called: tools } }
  return calls
    .map((expected, index) => checkOneCall(expected, tools.slice(index, index + 1)))
    .find(wrong => wrong !== undefined)
}

const predefined: ReadonlySet<string> = new Set(Object.values(predefinedToolNames))
