import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { InvalidInput, projectFileName } from '../../../files/source/index.ts'
import { hasErrors, valueError } from '../../../interface/finding.ts'
import { CallyardError } from '../../../lib/error.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { stringifyJson } from '../../../lib/json.ts'
import { lazy } from '../../../lib/lazy.ts'
import { openProjectForSandbox, type SandboxProject } from '../../../library/apply-project.ts'
import { openProjects } from '../../../project/resources/index.ts'
import { type ChatModel, createOpenAiModel } from '../../../sandbox/model/index.ts'
import {
  type CassetteChange,
  type CassetteOptions,
  type Cassettes,
  openCassettes,
} from '../../../scenario/cassette/index.ts'
import {
  listNeeds,
  type RunOptions,
  runTests,
  type TestCase,
  type TestResult,
} from '../../../scenario/index.ts'
import type { TestNotRun, TestRun } from '../../../scenario/results/index.ts'
import type { Context } from '../../shell/context.ts'
import { resolveJudge, resolveLlm, type TestModelOptions } from '../../shell/flags/llm-flags.ts'
import { formatDiagnostics } from '../../shell/render/diagnostics.ts'
import { isWrong, type RunView, testFindings } from '../../shell/render/test-failure.ts'
import { agreeToAccess } from '../consent.ts'
import { printWarnings } from '../warnings.ts'
import { hasPage, type TestOptions } from './flags.ts'
import { nothingRan } from './read-tests.ts'
import { repeatLine, sourceLines } from './show-run.ts'
import { assistantFileIn } from './touched-tests.ts'

export type TestRunner = ReturnType<typeof createTestRunner>

/** Runs the tests of paths, one run after the other. */
export function createTestRunner(paths: readonly string[], options: TestOptions, context: Context) {
  const { output, clock, signal } = context
  const { coverage = false, minCoverage, out } = options
  // A run of all tests checks all files, and coverage is that of all files.
  const isWhole = paths.length === 0 || coverage || minCoverage !== undefined || hasPage(out)
  let opened = new Map<string, { readonly project: SandboxProject; readonly needs: string | undefined }>()
  let projectFiles = lazy(() => openProjectsFor(context))
  const projectOf = async (path: string) => (await projectFiles())(path)
  const openProject = async (folder: string, tests: readonly TestCase[]): Promise<void> => {
    const needs = isWhole ? undefined : listNeeds(tests)
    const before = opened.get(folder)
    if (before !== undefined && before.needs === stringifyJson(needs)) return
    const { vocabulary, project: around } = await context.settings()
    const project = await openProjectForSandbox(folder, {
      ...context.files,
      vocabulary: vocabulary.value,
      files: await projectOf(join(folder, projectFileName)),
      projectFile: around?.checked,
      needs,
    }).catch(error => {
      throw error instanceof InvalidInput ? new InvalidInput(error.diagnostics, nothingRan) : error
    })
    const known = new Set(before?.project.warnings.map(warning => stringifyJson(warning)))
    printWarnings(
      project.warnings.filter(warning => !known.has(stringifyJson(warning))),
      context,
    )
    for (const file of project.files) context.willSend(file)
    opened.set(folder, { project, needs: stringifyJson(needs) })
  }
  const openedProject = async (folder: string): Promise<SandboxProject> => {
    const { project } = opened.get(folder) ?? {}
    if (project === undefined) throw new Error('the run is not prepared')
    return project
  }
  let cassettes: Cassettes | undefined
  return {
    /**
     * Opens the projects and models of the tests to run, and asks once for access if a test sends anything. `allTests` are the tests of the
     * files. Call before each run; after the first, warnings are not repeated.
     * @throws InvalidInput for unreadable recorded responses, CallyardError `cancelled` for a no, `usage` if asking is not allowed, and
     * for -u without a person to ask
     */
    async prepare(
      allTests: readonly TestCase[],
      selectedTests: readonly TestCase[],
      mayAsk = true,
    ): Promise<void> {
      for (const [folder, tests] of groupBy(allTests, ({ project }) => project))
        if (folder !== undefined) await openProject(folder, tests)
      const connect = connectBy(options, context)
      assertMayRecord(options, context)
      cassettes = await openCassettes({
        tests: allTests,
        variables: new Map(context.sending.flatMap(({ references }) => [...references.variables])),
        update: options.update === true,
        connect,
        clock,
        signal,
      })
      const { diagnostics } = cassettes
      if (hasErrors(diagnostics)) throw new InvalidInput(diagnostics, nothingRan)
      if (mayAsk) printWarnings(diagnostics, context)
      if (selectedTests.some(test => sendsAnything(test, options)))
        await agreeToAccess(context, { service: false, mayAsk })
    },
    /** Returns the new model responses with -u, and other changes of the cassettes. */
    async changes({ results }: TestRun): Promise<readonly CassetteChange[]> {
      return (await cassettes?.changes(results)) ?? []
    },
    /**
     * `collect` as runTests takes it.
     * @throws CallyardError `usage` if -u has no server to ask for a missing response
     */
    async run(tests: readonly TestCase[], collect?: RunOptions['collect']): Promise<TestRun> {
      if (cassettes === undefined) throw new Error('the run is not prepared')
      const { openModels } = cassettes
      const startedAt = clock.now()
      const progress = output.progress('Tests', tests.length)
      let doneCount = 0
      let failed = 0
      const onResult = (result: TestResult) => {
        doneCount += 1
        if (isWrong(result)) {
          failed += 1
          if (!progress.isShown) output.note(failureLine(result))
        }
        progress.update(doneCount, failed === 0 ? '' : `${failed} failed`)
      }
      try {
        const runnableTests = tests.filter(test => !lacksServer(test, options))
        const results = await runTests(runnableTests, {
          openProject: openedProject,
          openModels,
          clock,
          signal,
          concurrency: options.concurrency ?? availableParallelism(),
          bail: options.bail === true,
          onResult,
          ...(collect === undefined ? {} : { collect }),
        })
        if (options.update === true && !signal.aborted && results.some(lacksResponse))
          throw new CallyardError('usage', '-u requires --llm-url', {
            hint: 'pass the URL of a model server: --llm-url http://127.0.0.1:11434/v1',
          })
        const ran = new Set(results.map(({ test }) => test))
        return {
          results,
          notRun: tests.flatMap((test): TestNotRun[] => {
            if (ran.has(test)) return []
            return [{ test, reason: lacksServer(test, options) ? 'no-model-server' : 'stopped' }]
          }),
          startedAt,
          durationMs: clock.now() - startedAt,
        }
      } finally {
        progress.stop()
      }
    },
    /** Returns the context that the texts of a run need. */
    async viewOf({ results }: TestRun): Promise<RunView> {
      const lineAt = await sourceLines(results, context)
      return {
        ...{ lineAt, width: output.width },
        repeats(test, call, turn) {
          const project = opened.get(test.project ?? '')?.project
          const fileOf = (name: string) => project && assistantFileIn(project, name)?.source.file
          return repeatLine(test, call, turn, fileOf, options)
        },
      }
    },
    /** The project in a folder, once it was opened. */
    project: (folder: string): SandboxProject | undefined => opened.get(folder)?.project,
    /** Files of the project around a file, which tests and runs share. */
    projectOf,
    /** From here on the projects are read again. */
    forgetProjects() {
      opened = new Map()
      projectFiles = lazy(() => openProjectsFor(context))
    },
  }
}

async function openProjectsFor({ files, settings }: Context) {
  return openProjects({ ...files, vocabulary: (await settings()).vocabulary.value })
}

/** True if a test sends requests: replies by rule and recorded responses do not. */
function sendsAnything(test: TestCase, options: TestOptions): boolean {
  const { model, skip, tools } = test
  const { update = false } = options
  if (skip !== undefined || lacksServer(test, options)) return false
  return (
    update ||
    model === 'live' ||
    Object.values(tools)
      .flat()
      .some(({ kind }) => kind === 'passthrough')
  )
}

function lacksResponse({ attempts }: TestResult): boolean {
  return attempts.some(({ failures }) => failures.some(({ code }) => code === 'not-recorded'))
}

/** Prints a failure immediately if no progress is shown. */
function failureLine(result: TestResult) {
  const { name, file } = result.test
  const [finding = { ...valueError([], result.status, result.status), file }] = testFindings(result)
  return formatDiagnostics([{ ...finding, message: `${name}: ${finding.message}`, hint: undefined }])
}

/** Milliseconds after which a silent model is given up, unless --timeout sets another time. */
const defaultTimeoutMs = 30_000

/** Creates the models of tests from the flags: used with -u for missing responses, and always for live tests. */
export function connectBy(options: TestModelOptions, context: Context): CassetteOptions['connect'] {
  const llm = resolveLlm(options, context.env)
  const judge = resolveJudge(options, context.env)
  const { clock, env } = context
  const timeout = context.options.timeout ?? defaultTimeoutMs
  // A model remembers what its server does not support.
  const models = new Map<string, ChatModel>()
  return (role, request) => {
    const isTester = role === 'judge' || role === 'caller'
    const server = isTester ? judge : llm
    if (server === undefined) return undefined
    const { url: baseUrl, model = request?.model ?? '', apiKey } = server
    const name = `${isTester} ${model}`
    const chatModel = models.get(name) ?? createOpenAiModel({ baseUrl, model, apiKey, timeout, clock, env })
    models.set(name, chatModel)
    return chatModel
  }
}

function lacksServer({ model, skip }: TestCase, { llmUrl }: TestModelOptions): boolean {
  return model === 'live' && skip === undefined && llmUrl === undefined
}

function assertMayRecord({ update, yes }: TestModelOptions, context: Context): void {
  if (update === true && yes !== true && !context.prompts.available) {
    throw new CallyardError('usage', '-u requires confirmation before it records', {
      hint: 'pass --yes; callyard cannot prompt without a terminal',
      details: { missing: ['--yes'] },
    })
  }
}
