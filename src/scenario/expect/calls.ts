import { predefinedToolNames } from '../../interface/tool.ts'
import type { Expectation, ExpectedCall } from '../test-case.ts'
import type { ObservedTool, UnlocatedFailure } from '../verdict.ts'
import { diffValue } from './value.ts'

type OfCalls = Extract<Expectation, { kind: 'calls' | 'never-calls' | 'calls-in-order' }>

/** Checks tool calls against an expectation. Tools are identified by function name. */
export function checkCalls(
  expected: OfCalls,
  called: readonly ObservedTool[],
): UnlocatedFailure | false | undefined {
  if (expected.kind === 'calls') return checkOneCall(expected, called)
  if (expected.kind === 'calls-in-order') return checkOrder(expected.calls, called)
  const { tool } = expected
  return called.some(({ name }) => name === tool) && { code: 'called-unwanted', details: { tool, called } }
}

/** Requires one matching call. The failure reports the call with the fewest differences, the last of several. */
function checkOneCall(
  { tool, arguments: expected }: ExpectedCall,
  called: readonly ObservedTool[],
): UnlocatedFailure | undefined {
  const [nearest] = called
    .filter(({ name }) => name === tool)
    .map(call => diffValue(expected, call.arguments))
    .toReversed()
    .sort((one, other) => one.length - other.length)
  const details = { tool, arguments: expected, called }
  if (nearest === undefined) return { code: 'not-called', details }
  const [first] = nearest
  return (
    first && { code: 'wrong-arguments', details: { ...details, differs: first.path, actual: first.actual } }
  )
}

/** Ignores predefined tools unless the list names one, because ending a call is rarely part of the expected order. */
function checkOrder(
  calls: readonly ExpectedCall[],
  all: readonly ObservedTool[],
): UnlocatedFailure | undefined {
  const namesPredefined = calls.some(({ tool }) => predefined.has(tool))
  const called = namesPredefined ? all : all.filter(({ name }) => !predefined.has(name))
  const isSameOrder =
    called.length === calls.length && calls.every(({ tool }, index) => called[index]?.name === tool)
  if (!isSameOrder) return { code: 'wrong-order', details: { calls, called } }
  return calls
    .map((expected, index) => checkOneCall(expected, called.slice(index, index + 1)))
    .find(wrong => wrong !== undefined)
}

const predefined: ReadonlySet<string> = new Set(Object.values(predefinedToolNames))
