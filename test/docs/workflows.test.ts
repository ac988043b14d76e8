import { readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import packageJson from '../../package.json' with { type: 'json' }
import { repositoryPage } from '../../src/lib/text/repository-page.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { textOf } from './markdown.ts'

const stepSchema = z.looseObject({
  id: z.optional(z.string()),
  uses: z.optional(z.string()),
  run: z.optional(z.string()),
})
const workflowSchema = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      uses: z.optional(z.string()),
      if: z.optional(z.string()),
      needs: z.optional(z.union([z.string(), z.array(z.string())])),
      permissions: z.optional(z.record(z.string(), z.string())),
      'continue-on-error': z.optional(z.boolean()),
      strategy: z.optional(
        z.looseObject({ matrix: z.record(z.string(), z.array(z.union([z.number(), z.string()]))) }),
      ),
      steps: z.optional(z.array(stepSchema)),
    }),
  ),
})

const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({ hasInstallScript: z.optional(z.boolean()), optional: z.optional(z.boolean()) }),
  ),
})

async function workflow(name: string) {
  const text = await textOf(`.github/workflows/${name}.yml`)
  const { jobs, permissions } = workflowSchema.parse(parse(text))
  return { text, jobs, permissions, steps: Object.values(jobs).flatMap(job => job.steps ?? []) }
}

test.each(['ci', 'release', 'attack'])(
  '%s may only read, except jobs with their own permissions',
  async name => {
    expect((await workflow(name)).permissions).toEqual({ contents: 'read' })
  },
)

test.each([
  '.github/workflows/ci.yml',
  '.github/workflows/release.yml',
  '.github/workflows/attack.yml',
  'src/cli/starter/ci/github-actions.yaml',
  'docs/ci.md',
])('%s pins every third-party action to a commit, with its version', async file => {
  const uses = [...(await textOf(file)).matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, used = '']) => used)
  const own = new URL(repositoryPage(packageJson.repository.url)).pathname.slice(1)
  const thirdParty = uses.filter(used => !used.startsWith('./') && !used.startsWith(`${own}@`))
  expect(thirdParty.length).toBeGreaterThan(1)
  for (const used of thirdParty) expect(used).toMatch(/^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test.each([
  '.github/workflows/ci.yml',
  '.github/workflows/release.yml',
  '.github/workflows/attack.yml',
  'action.yml',
])('%s installs dependencies without their scripts', async file => {
  const installs = [...(await textOf(file)).matchAll(/^.*npm (?:ci|install)\b.*$/gm)].map(([line]) => line)
  expect(installs).not.toEqual([])
  for (const line of installs) expect(line).toMatch(/--ignore-scripts|install\(\) \{/)
})

test('package.json decides on every dependency with an install script, so npm warns of none', async () => {
  const { packages } = lockSchema.parse(JSON.parse(await textOf('package-lock.json')))
  const scripted = Object.entries(packages).filter(
    ([, { hasInstallScript, optional }]) => hasInstallScript && !optional,
  )
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''))
  expect(names).toEqual(Object.keys(packageJson.allowScripts))
})

test.each(['ci', 'release', 'attack'])('every script that %s runs is one of the package', async name => {
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

test('the demo is required on every system', async () => {
  const { demo } = (await workflow('ci')).jobs
  expect(demo?.strategy?.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest'])
  expect(demo?.['continue-on-error']).toBeUndefined()
  expect(demo?.steps?.at(-1)?.run).toBe('npm run tests -- test/e2e/demo.test.ts')
})

test('the job that publishes gets a finished tarball, the token and the right to sign, and nothing else', async () => {
  const { jobs, text } = await workflow('release')
  const publish = jobs.publish
  expect(publish?.permissions).toEqual({ 'id-token': 'write' })
  expect(publish?.steps?.map(({ uses, run }) => uses?.replace(/@.*/, '') ?? run)).toEqual([
    'actions/setup-node',
    'actions/download-artifact',
    `npm config set "$(npm config get registry | sed 's/^[^:]*://'):_authToken" "$NPM_TOKEN"`,
    'npm publish ./callyard-*.tgz --ignore-scripts --provenance --access public',
  ])
  expect(text.match(/secrets\.NPM_TOKEN/g)).toHaveLength(1)
  expect(text.match(/id-token/g)).toHaveLength(1)
})

test('publishes nothing while package.json is private, and says so', async () => {
  const { jobs } = await workflow('release')
  expect(jobs.publish?.if).toMatch(/^needs\.pack\.outputs\.private == 'false' && /)
  const check = jobs.pack?.steps?.find(({ id }) => id === 'version')?.run ?? ''
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'npm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const run = async (manifest: object) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    const output = join(folder, 'output')
    const { stdout } = await execa('bash', ['-e', '-c', check], {
      cwd: folder,
      env: { GITHUB_OUTPUT: output, PATH: `${folder}${delimiter}${process.env.PATH}` },
    })
    const outputs = await readFile(output, 'utf8')
    await rm(output)
    return { stdout, outputs }
  }
  const refused = await run({ name: 'callyard', version: '9.9.9', private: true })
  expect(refused.stdout).toMatch(/^::notice title=Not published::package.json is private/)
  expect(refused.outputs).toContain('private=true\n')
  const allowed = await run({ name: 'callyard', version: '9.9.9' })
  expect(allowed).toEqual({ stdout: '', outputs: 'private=false\nversion=9.9.9\npublished=\n' })
})

test('publishes only what passed the tests', async () => {
  const { jobs } = await workflow('release')
  expect(jobs.test?.uses).toBe('./.github/workflows/ci.yml')
  const before = (name: string): readonly string[] => {
    const needs = [jobs[name]?.needs ?? []].flat()
    return needs.flatMap(need => [need, ...before(need)])
  }
  expect(before('publish')).toEqual(['pack', 'version', 'test'])
})
