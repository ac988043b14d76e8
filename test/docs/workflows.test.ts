import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import packageJson from '../../package.json' with { type: 'json' }
import { textOf } from './markdown.ts'

const stepSchema = z.looseObject({ uses: z.optional(z.string()), run: z.optional(z.string()) })
const workflowSchema = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      uses: z.optional(z.string()),
      needs: z.optional(z.string()),
      permissions: z.optional(z.record(z.string(), z.string())),
      strategy: z.optional(z.looseObject({ matrix: z.record(z.string(), z.array(z.number())) })),
      steps: z.optional(z.array(stepSchema)),
    }),
  ),
})

async function workflow(name: string) {
  const text = await textOf(`.github/workflows/${name}.yml`)
  const { jobs, permissions } = workflowSchema.parse(parse(text))
  return { text, jobs, permissions, steps: Object.values(jobs).flatMap(job => job.steps ?? []) }
}

test.each(['ci', 'release'])(
  '%s uses official actions by their major version, and reads alone',
  async name => {
    const { steps, permissions } = await workflow(name)
    const actions = steps.map(({ uses }) => uses).filter(uses => uses !== undefined)
    expect(actions.length).toBeGreaterThan(1)
    for (const action of actions) expect(action).toMatch(/^(actions|changesets)\/[a-z-]+@v\d+$/)
    expect(permissions).toEqual({ contents: 'read' })
  },
)

test.each(['ci', 'release'])('every script that %s runs is one of the package', async name => {
  const { text } = await workflow(name)
  const scripts = [...text.matchAll(/npm (?:run ([\w:]+)|(test))/g)].map(([, run, own]) => run ?? own)
  expect(scripts).not.toEqual([])
  expect(scripts.filter(script => !Object.hasOwn(packageJson.scripts, script ?? ''))).toEqual([])
})

test('every Node that the package supports is tested, from the oldest', async () => {
  const { jobs } = await workflow('ci')
  const versions = jobs.test?.strategy?.matrix.node ?? []
  expect(versions).toEqual([20, 22, 24])
  expect(packageJson.engines.node).toMatch(new RegExp(`^>=${versions[0]}\\.`))
})

test('what is published passed the tests, and carries its provenance', async () => {
  const { jobs, text } = await workflow('release')
  expect(jobs.test?.uses).toBe('./.github/workflows/ci.yml')
  expect(jobs.release?.needs).toBe('test')
  expect(jobs.release?.permissions?.['id-token']).toBe('write')
  expect(text).toContain("NPM_CONFIG_PROVENANCE: 'true'")
})
