import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { starterProject } from '../../src/commands/starter-project.ts'
import { openProjectForSandbox } from '../../src/library/apply-project.ts'
import { failureWords } from '../../src/messages/scenario.ts'
import { loadTests, runTests } from '../../src/scenario/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { noModels } from './run/run-cases.ts'

test('the starter project’s tests pass without a model, and fail if its reply changes', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'callyard-starter-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), text)
  }
  for (const [name, text] of Object.entries(starterProject())) await write(name, text)
  const options = { cwd, env: {}, vocabulary: {} }
  const run = async () => {
    const { tests, diagnostics } = await loadTests(['.'], options)
    expect(diagnostics).toEqual([])
    const results = await runTests(tests, {
      openProject: folder => openProjectForSandbox(folder, options),
      openModels: async () => noModels,
      clock: realClock,
      concurrency: 2,
      bail: false,
      signal: AbortSignal.any([]),
    })
    return results.map(({ test: { id }, status, attempts }) => [
      id,
      status,
      ...attempts.flatMap(({ failures }) =>
        failures.map(failure => {
          const { location: place } = failure
          return `${place.file}:${place.position?.line}: ${failureWords(failure).message}`
        }),
      ),
    ])
  }
  expect(await run()).toEqual([
    ['booking', 'passed'],
    ['opening-hours', 'passed'],
    ['questions[1]', 'passed'],
    ['questions[2]', 'passed'],
    ['questions[3]', 'passed'],
  ])
  const faq = starterProject()['knowledge-bases/workshop.yaml'] ?? ''
  await write('knowledge-bases/workshop.yaml', faq.replace('12 Canal Street', '14 Canal Street'))
  const changed = await run()
  expect(changed.filter(([, status]) => status !== 'passed')).toEqual([
    ['questions[2]', 'failed', expect.stringMatching(/^tests\/questions\.test\.yaml:8: /)],
  ])
})
