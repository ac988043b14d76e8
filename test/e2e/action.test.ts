import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { packedPackage } from '../../scripts/pack.js'
import { runAction } from '../helpers/composite-action.ts'
import { temporaryFolder, writeFiles } from '../helpers/folders.ts'
import { starterFiles } from '../helpers/resources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = join(root, 'action.yml')

/** A workspace with the tarball of what is built, and a project. */
async function workspace() {
  const cwd = await temporaryFolder()
  const version = 'callyard.tgz'
  await cp(await packedPackage(), join(cwd, version))
  await writeFiles(join(cwd, 'desk'), starterFiles())
  return { cwd, version }
}

const later = (script: string, { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }) =>
  execa('bash', ['-c', script], { cwd, env, extendEnv: false, reject: false })

test('a sandbox runs for the following steps and ends with the job', async () => {
  const { cwd, version } = await workspace()
  const inputs = { version: `./${version}`, sandbox: 'true', project: 'desk' }
  const run = await runAction(file, inputs, { cwd, actionPath: root })
  expect(run).toMatchObject({ exitCode: 0 })
  expect(run.outputs).toEqual({
    'base-url': expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    'api-key': expect.stringMatching(/^cy_sandbox_/),
  })
  expect(run.log).not.toMatch(/cy_(sandbox|control)_/)

  // callyard is on PATH, and the environment leads it to the sandbox, which holds the project.
  const { env } = run
  const exported = await later('callyard sandbox export - | grep -c "\\"kind\\""', { cwd, env })
  expect(exported).toMatchObject({ exitCode: 0, stdout: '3' })
  run.endJob()
  const after = await later('callyard sandbox export -', { cwd, env })
  expect(after.exitCode).toBe(6)
})

test('only installs callyard without sandbox: true', async () => {
  const { cwd, version } = await workspace()
  const run = await runAction(file, { version }, { cwd, actionPath: root })
  expect(run).toMatchObject({ exitCode: 0, outputs: { 'base-url': '', 'api-key': '' } })
  expect(run.env).not.toHaveProperty('CALLYARD_API_KEY')
  expect((await later('callyard --version', { cwd, env: run.env })).exitCode).toBe(0)
})

test('installs nothing from npm while the package is private', async () => {
  const cwd = await temporaryFolder()
  const run = await runAction(file, { version: '1.0.4' }, { cwd, actionPath: root })
  expect(run.exitCode).toBe(1)
  expect(run.log).toContain('::error::callyard is not published on npm')
})

test('a sandbox that cannot start fails the step with its error', async () => {
  const { cwd, version } = await workspace()
  const inputs = { version, sandbox: 'true', project: 'no such folder' }
  const run = await runAction(file, inputs, { cwd, actionPath: root })
  expect(run.exitCode).toBe(1)
  expect(run.log).toContain('no such folder')
})

test('builds and packs the action’s checkout if no version is given', async () => {
  const cwd = await temporaryFolder()
  // A package that builds in no time: its build copies what is built here.
  const actionPath = join(cwd, 'action checkout')
  await mkdir(actionPath)
  await cp(join(root, 'bin'), join(actionPath, 'bin'), { recursive: true })
  const packed = { name: 'callyard', version: '0.0.1', bin: { callyard: 'bin/callyard.js' } }
  const scripts = { build: `cp -R ${JSON.stringify(join(root, 'dist'))} dist` }
  await writeFile(
    join(actionPath, 'package.json'),
    JSON.stringify({ ...packed, files: ['bin', 'dist'], scripts }),
  )
  const lock = { name: 'callyard', version: '0.0.1', lockfileVersion: 3, packages: { '': packed } }
  await writeFile(join(actionPath, 'package-lock.json'), JSON.stringify(lock))
  const run = await runAction(file, { sandbox: 'true' }, { cwd, actionPath })
  expect(run).toMatchObject({ exitCode: 0 })
  expect(run.outputs['base-url']).toMatch(/^http:/)
})
