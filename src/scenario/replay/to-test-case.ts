import type { RecordedCall } from '../../events/conversation/index.ts'
import { parseCallerLine } from '../../files/formats/caller-script.ts'
import { predefinedToolNames } from '../../interface/tool.ts'
import { acceptedResponse } from '../../interface/words.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import { findAssistant, type ProjectNames, type ReplayableCall, splitTurns } from '../record/index.ts'
import type { CannedToolResult, SourceLocation, TestCase, TestTurn } from '../test-case.ts'
import { outlineRecorded } from './call-outline.ts'
import type { NotReplayed, PreparedReplay } from './replayed-call.ts'

export interface ReplayContext {
  readonly names: ProjectNames
  /** Names of the assistants that are deployed. */
  readonly deployed: ReadonlySet<string>
  /** Absolute path of the project folder. */
  readonly folder: string
  /** Recording that the cassette is next to: its absolute path, and its name as people see it. */
  readonly recording: { readonly path: string; readonly file: string }
  readonly model: 'none' | 'recorded'
}

/** Prepares a recorded call for its replays. `id` is its id or name. */
export function prepareReplay(
  id: string,
  call: RecordedCall,
  replay: ReplayableCall,
  context: ReplayContext,
): PreparedReplay | NotReplayed {
  const test = toReplayTest(id, call, replay, context)
  return 'code' in test ? test : { id, test, recorded: outlineRecorded(replay) }
}

/** Converts a call to a test without expectations: the caller's turns, variables, overrides, time and tool results. */
function toReplayTest(
  id: string,
  { overrides }: RecordedCall,
  call: ReplayableCall,
  { names, deployed, folder, recording, model }: ReplayContext,
): TestCase | NotReplayed {
  const { path, file } = recording
  const location: SourceLocation = { file, path: [], position: undefined }
  const turns = splitTurns(call.steps).flatMap(({ line }): TestTurn[] => {
    const parsed = line === undefined ? undefined : parseCallerLine(line)
    if (line === undefined || parsed === undefined || !('turn' in parsed)) return []
    return [{ location, caller: { line, turn: parsed.turn }, expect: [] }]
  })
  if (turns.length === 0) return { code: 'no-caller-turns' }
  const assistant = findAssistant(call.assistant, names)?.name
  if (assistant === undefined) return { code: 'unknown-assistant', ...call.assistant }
  if (!deployed.has(assistant)) return { code: 'not-deployed', name: assistant }
  const { dynamicVariables: _, ...ofCall } = overrides
  return {
    id,
    name: id,
    ...{ file, path, location, model },
    project: folder,
    assistant: { name: assistant },
    variables: call.variables,
    overrides: Object.keys(ofCall).length === 0 ? undefined : ofCall,
    at: readDateTime(call.at),
    tools: readToolResults(call, names),
    turns: [{ location, caller: undefined, expect: [] }, ...turns],
    ...{ tags: [], skip: undefined, only: false, metadata: undefined, caller: undefined, expect: [] },
    repeat: { times: 1, pass: 1 },
  }
}

const predefined: ReadonlySet<string> = new Set(Object.values(predefinedToolNames))

/** Returns the recorded results of function tools by function name; the sandbox simulates again what it simulated. */
function readToolResults(
  { steps, unplacedTools }: ReplayableCall,
  { tools }: ProjectNames,
): TestCase['tools'] {
  const results = new Map<string, CannedToolResult[]>()
  const usedTools = [...steps.flatMap(step => (step.kind === 'tool' ? [step.tool] : [])), ...unplacedTools]
  for (const { name, result = { returns: acceptedResponse } } of usedTools) {
    if (predefined.has(name) || 'simulated' in result) continue
    const canned: CannedToolResult =
      'fails' in result
        ? { kind: 'fails', reason: result.fails, after: 0 }
        : { kind: 'returns', value: result.returns, after: 0 }
    // A renamed function has the same results.
    const tool = tools.find(candidate => candidate.functionNames.includes(name) || candidate.name === name)
    for (const functionName of tool?.functionNames ?? [name])
      results.set(functionName, [...(results.get(functionName) ?? []), canned])
  }
  return Object.fromEntries(results)
}
