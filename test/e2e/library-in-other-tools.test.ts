import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installFromRegistry, installPackedLibrary, runIn } from '../helpers/npm-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let folder: string
let missing: string | undefined

beforeAll(async () => {
  folder = await installPackedLibrary()
  missing = await installFromRegistry(folder, ['esbuild@0.28.2', 'typescript@5.9.3'])
  for (const name of ['vite', '@types'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'program.mjs'), program)
}, 180_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

const program = `import { jsonSchema, receiveWebhooks } from 'callwright'
import { startSandbox } from 'callwright/sandbox'
export const done = (async () => {
  const receiver = await receiveWebhooks()
  const sandbox = await startSandbox()
  const assistant = { welcomeMessage: 'Hello', assistantServer: { url: receiver.url } }
  const call = await sandbox.call({ assistant, caller: '/hangup' })
  await receiver.next({ call: call.id, status: 'finished' })
  console.log(String(call.transcript), (await jsonSchema('tool')).title)
  await sandbox.close()
  await receiver.close()
})()
`
const printed = 'assistant  Hello callwright tool'

test.for(['esm', 'cjs'] as const)('esbuild bundles the library as %s', async (format, { skip }) => {
  if (missing !== undefined) skip(missing)
  const esbuild = join(folder, 'node_modules/esbuild/bin/esbuild')
  const out = `esbuild.${format === 'esm' ? 'mjs' : 'cjs'}`
  const flags = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${out}`, '--log-level=error']
  expect((await runIn(folder, [esbuild, 'program.mjs', ...flags])).all).toBe('')
  expect((await runIn(folder, [out])).all).toBe(printed)
})

test('vite bundles the library', async () => {
  const build = `import { build } from 'vite'
await build({
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: { ssr: 'program.mjs', outDir: 'vite', minify: true },
})
`
  await writeFile(join(folder, 'build.mjs'), build)
  expect((await runIn(folder, ['build.mjs'])).all).toBe('')
  expect((await runIn(folder, ['vite/program.mjs'])).all).toBe(printed)
})

test('TypeScript 5.9 finds the declarations with module: commonjs', { timeout: 120_000 }, async ({
  skip,
}) => {
  if (missing !== undefined) skip(missing)
  await writeFile(
    join(folder, 'use.ts'),
    `import { validate, type KindName } from 'callwright'
import { startSandbox, type Sandbox } from 'callwright/sandbox'
export const kind: KindName = 'test'
export const open = (): Promise<Sandbox> => startSandbox({ project: 'desk' })
export const check = () => validate('desk', { kind })
`,
  )
  const tsc = join(folder, 'node_modules/typescript/bin/tsc')
  const options = ['--module', 'commonjs', '--target', 'es2022', '--lib', 'esnext', '--strict', '--noEmit']
  expect((await runIn(folder, [tsc, ...options, 'use.ts'])).all).toBe('')
})
