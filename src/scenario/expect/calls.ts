import { predefinedToolNames } from '../../sandbox/index.ts'
import type { ObservedTool } from '../observed-call.ts'
import type { Expectation, ExpectedCall } from '../test-case.ts'
import type { Found } from './found.ts'
import { differencesOf } from './value.ts'

type OfCalls = Extract<Expectation, { kind: 'calls' | 'never-calls' | 'calls-in-order' }>

/** Compares the tools that were called with what is expected of them. Tools have the names of their functions. */
export function checkCalls(expected: OfCalls, called: readonly ObservedTool[]): Found {
  if (expected.kind === 'calls') return checkCalled(expected, called)
  if (expected.kind === 'calls-in-order') return checkOrder(expected.calls, called)
  return called.some(({ name }) => name === expected.tool)
    ? { code: 'called-unwanted', details: { tool: expected.tool, called } }
    : undefined
}

/** At least one call has such arguments. Else the failure names the call that differs least, of equals the last. */
function checkCalled({ tool, arguments: expected }: ExpectedCall, called: readonly ObservedTool[]): Found {
  const compared = called
    .filter(({ name }) => name === tool)
    .map(call => ({ call, differences: differencesOf(expected, call.arguments) }))
  const nearest = compared
    .toReversed()
    .reduce<(typeof compared)[number] | undefined>(
      (best, each) => (best && best.differences.length <= each.differences.length ? best : each),
      undefined,
    )
  if (nearest === undefined) return { code: 'not-called', details: { tool, arguments: expected, called } }
  const [first] = nearest.differences
  if (first === undefined) return undefined
  const { path: differs, actual } = first
  return { code: 'wrong-arguments', details: { tool, arguments: expected, differs, actual, called } }
}

/** A predefined tool counts where the list names one: a list of functions says nothing of how the call ends. */
function checkOrder(calls: readonly ExpectedCall[], all: readonly ObservedTool[]): Found {
  const namesPredefined = calls.some(({ tool }) => isPredefined(tool))
  const called = namesPredefined ? all : all.filter(({ name }) => !isPredefined(name))
  const isSameOrder =
    called.length === calls.length && calls.every(({ tool }, index) => called[index]?.name === tool)
  if (!isSameOrder) return { code: 'wrong-order', details: { calls, called } }
  for (const [index, expected] of calls.entries()) {
    const wrong = checkCalled(expected, called.slice(index, index + 1))
    if (wrong !== undefined) return wrong
  }
  return undefined
}

const predefined: ReadonlySet<string> = new Set(Object.values(predefinedToolNames))

function isPredefined(tool: string): boolean {
  return predefined.has(tool)
}
