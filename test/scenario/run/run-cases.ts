import type { ChatModel } from '../../../src/sandbox/model/index.ts'
import { type RunOptions, runTests, type SourceLocation, type TestCase } from '../../../src/scenario/index.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { callerDoing, madeTest } from '../made-results.ts'

type Expectation = TestCase['expect'][number]
export type AttemptModels = Awaited<ReturnType<RunOptions['openModels']>>
export type TestProject = Awaited<ReturnType<RunOptions['openProject']>>

export const testLocation: SourceLocation = { file: 'tests/a.test.yaml', path: [], position: undefined }

type DistributedOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never
type Expected = DistributedOmit<Expectation, 'location'>

/** A turn: the caller's line, and what is expected of it. */
export type MadeTurn = string | readonly [string, ...Expected[]]

export interface MadeTest extends Partial<Omit<TestCase, 'turns' | 'expect'>> {
  /** Expectations before the caller's first line. */
  readonly welcome?: readonly Expected[]
  readonly turns?: readonly MadeTurn[]
  readonly expect?: readonly Expected[]
}

/** A test as the loader makes it. */
export function testCase({ welcome = [], turns = [], expect = [], ...fields }: MadeTest): TestCase {
  return madeTest({
    file: testLocation.file,
    location: testLocation,
    project: '/p',
    id: 'a',
    assistant: { name: 'desk' },
    ...fields,
    expect: expect.map(placed(['expect'])),
    turns: [
      { location: placeOf(0), caller: undefined, expect: welcome.map(placed(['turns', 0, 'expect'])) },
      ...turns.map((turn, index) => {
        const [line, ...expected] = typeof turn === 'string' ? [turn] : turn
        const path = ['turns', index + 1, 'expect']
        return {
          location: placeOf(index + 1),
          caller: callerDoing(line),
          expect: expected.map(placed(path)),
        }
      }),
    ],
  })
}

function placeOf(turn: number): SourceLocation {
  return { ...testLocation, path: ['turns', turn] }
}

function placed(path: SourceLocation['path']) {
  return (expected: Expected): Expectation => ({ ...expected, location: { ...testLocation, path } })
}

export const says = (text: string): Expected => ({ kind: 'says', text: { kind: 'contains', text } })

export const bookTable = {
  type: 'function',
  async: false,
  function: {
    name: 'book_table',
    description: 'Books a table',
    parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
  },
  server: { url: 'http://127.0.0.1:9/' },
}

/** A restaurant with a tool and a knowledge base; `assistant` and `tool` are put over theirs. */
export function restaurant({
  assistant = {},
  tool = {},
}: {
  readonly assistant?: object
  readonly tool?: object
} = {}): TestProject {
  return {
    vocabulary: {},
    async applyTo({ resources, setResetPoint }) {
      const { _id: toolId } = await resources.createTool({ ...bookTable, ...tool })
      await resources.insertFaq('menu', [
        { question: 'When are you open?', answer: 'Nine to five, {{name}}.' },
        { question: 'Are you open on Sunday?', answer: 'Never on Sunday.' },
      ])
      const { _id } = await resources.createAssistant({
        name: 'Desk',
        welcomeMessage: 'Hello {{name}}, this is the restaurant.',
        assistantToolIds: [toolId],
        assistantKnowledgeBaseIds: ['menu'],
        assistantPredefinedTools: { knowledgeBase: true, endCall: true },
        endCallPhrases: ['goodbye'],
        endCallMessage: 'Goodbye!',
        assistantServer: { url: 'http://127.0.0.1:9/webhooks' },
        ...assistant,
      })
      setResetPoint()
      return new Map([
        ['assistant/desk', _id],
        ['tool/table', toolId],
        ['kb/menu', 'menu'],
      ])
    },
  }
}

export const noModels: AttemptModels = {
  modelFor: () => undefined,
  judge: answering(() => ''),
  caller: answering(() => ''),
  cassette: 'tests/a.cassette.ndjson',
  missingResponses: [],
  failedRequests: [],
}

/** A model that replies with these texts. */
export function answering(answer: () => string): ChatModel {
  return {
    async *complete() {
      yield { type: 'text', text: answer() }
    },
  }
}

export function run(tests: readonly TestCase[], options: Partial<RunOptions> = {}) {
  return runTests(tests, {
    openProject: async () => restaurant(),
    openModels: async () => noModels,
    clock: realClock,
    concurrency: 2,
    bail: false,
    signal: new AbortController().signal,
    ...options,
  })
}
