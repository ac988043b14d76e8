import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { fencesOf } from '../docs/markdown.ts'
import { everyCase } from '../helpers/every-case.ts'
import { installPackedLibrary, patientVitest, runIn } from '../helpers/npm-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifestSchema = z.looseObject({ type: z.string(), scripts: z.object({ test: z.string() }) })

let folder: string

/** The examples, and the packed package beside them, without any network. */
beforeAll(async () => {
  folder = (await installPackedLibrary()).folder
  await cp(join(root, 'examples'), folder, { recursive: true })
  // The test runner and the compiler of this repository, in place of those that a user installs.
  for (const name of ['vitest', 'typescript', '@types'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

function run(argv: readonly string[], cwd = folder) {
  return runIn(cwd, argv)
}

/** A program in the folder of the examples: what it printed. */
async function runProgram(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text)
  const { exitCode, all } = await run([name])
  expect(exitCode, all).toBe(0)
  return all
}

/** The programs of a page, and the examples of the functions: each is run by itself. */
async function programsOf(page: string): Promise<string[]> {
  return fencesOf(await readFile(join(root, page), 'utf8')).flatMap(({ language, body }) =>
    language === 'js' ? [body] : [],
  )
}

test.for(['docs/testing-with-the-sandbox.md', 'README.md'])('runs the programs of %s', async page => {
  const programs = await programsOf(page)
  expect(programs.length).toBeGreaterThan(0)
  for (const [index, program] of programs.entries()) await runProgram(`guide-${index}.mjs`, program)
})

test('runs the examples of the docstrings', async () => {
  const examples = (
    await Promise.all(
      ['index', 'sandbox'].map(name =>
        readFile(join(folder, 'node_modules/callyard/dist/library', `${name}.d.ts`), 'utf8'),
      ),
    )
  ).flatMap(text =>
    [...text.matchAll(/^\* @example\n((?:\* .*\n)+)/gm)].map(([, lines = '']) => lines.replace(/^\* /gm, '')),
  )
  expect(examples).toHaveLength(5)
  for (const [index, example] of examples.entries()) {
    await runProgram(
      `example-${index}.mjs`,
      `import { after } from 'node:test'
import { jsonSchema, receiveWebhooks, validate } from 'callyard'
import { setupSandbox, startSandbox } from 'callyard/sandbox'
import { Ajv2020 } from ${JSON.stringify(pathToFileURL(join(root, 'node_modules/ajv/dist/2020.js')).href)}
${example}`,
    )
  }
})

test.for(['vitest', 'node-test', 'node-test-commonjs'])('the example %s passes', async name => {
  const place = join(folder, name)
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(place, 'package.json'), 'utf8')))
  const { exitCode, all } =
    manifest.scripts.test === 'vitest run'
      ? await run([join(folder, 'node_modules/vitest/vitest.mjs'), 'run', ...patientVitest], place)
      : await run(['--test', '--test-reporter', 'tap'], place)
  expect(exitCode, all).toBe(0)
  expect(all).toMatch(name === 'vitest' ? /Tests +6 passed/ : /# pass [1-9]/)
})

test('the package contains the schema of each kind of file', async () => {
  const printed = await runProgram(
    'schemas.mjs',
    `import { createRequire } from 'node:module'
import assert from 'node:assert/strict'
import { jsonSchema } from 'callyard'
const require = createRequire(import.meta.url)
for (const kind of ['assistant', 'tool-update', 'test', 'project'])
  assert.deepEqual(require('callyard/schemas/' + kind + '.schema.json'), await jsonSchema(kind))
console.log('equal')`,
  )
  expect(printed).toBe('equal')
})

test('the declarations work for both module systems without other packages', async () => {
  const use = `{ startSandbox, CallyardError } from 'callyard/sandbox'
import { jsonSchema, receiveWebhooks, validate, type Assistant, type StatusUpdate, type WebhookEvent } from 'callyard'
export const desk: Assistant = { name: 'Desk', idleTimeout: 20, assistantProvider: 'acme' }
// @ts-expect-error a mistyped field
export const wrong: Assistant = { name: 'Desk', idleTimout: 20 }
// @ts-expect-error a mistyped option
export const no = () => startSandbox({ projekt: '.' })
export async function use(): Promise<string | undefined> {
  const sandbox = await startSandbox({ project: 'desk', seed: 7 })
  const call = await sandbox.call({ assistant: desk, caller: ['Hi'], variables: { name: 'Ada' } })
  const last: WebhookEvent | undefined = call.events.at(-1)
  const receiver = await receiveWebhooks({ path: '/x' })
  for await (const { callId } of receiver) console.log(callId)
  const [finding] = await validate('desk')
  console.log(call.transcript[0]?.text.length, last?.message.type, finding?.line, (await jsonSchema('tool')).$id)
  console.log(new CallyardError('x', 'y').field, (last as StatusUpdate).message.call.status)
  return call.analysis?.summary === undefined ? call.endedBy : undefined
}
`
  const places = {
    'types/use.mts': `import ${use}`,
    'types/use.cts': `import ${use}`,
    'types/tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ['node'],
      },
      files: ['use.mts', 'use.cts'],
    }),
    'types/bundler.json': JSON.stringify({
      compilerOptions: {
        ...{ module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true, types: ['node'] },
        exactOptionalPropertyTypes: true,
      },
      files: ['use.mts'],
    }),
  }
  await mkdir(join(folder, 'types'), { recursive: true })
  for (const [file, text] of Object.entries(places)) await writeFile(join(folder, file), text)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // Each takes two seconds of a processor.
  const projects = [
    'types/tsconfig.json',
    'vitest/tsconfig.json',
    ...(everyCase ? ['types/bundler.json'] : []),
  ]
  for (const project of projects) {
    const { all } = await run([tsc, '--singleThreaded', '-p', project])
    expect(all).toBe('')
  }
})

test('the published types match the schemas', async () => {
  const modules = {
    resources: [
      ...['Assistant', 'InlineAssistant', 'AssistantOverrides', 'Tool', 'ToolUpdate', 'KnowledgeBase'],
      ...['StartCall', 'ConnectCall', 'Project', 'StatusUpdate', 'ConversationUpdate', 'WebhookEvent'],
      ...['ValidateOptions', 'JsonSchemaOptions', 'ReceiveOptions', 'NextOptions', 'WebhookFields'],
    ],
    'sandbox-parts': [
      ...['WorldOptions', 'SandboxOptions', 'CallOptions', 'RequestFilter', 'SandboxRequest', 'ToolCall'],
      ...['FaultRule', 'PhoneNumber'],
    ],
  }
  const place = await mkdtemp(join(root, '.bundled-'))
  try {
    for (const [module, names] of Object.entries(modules)) {
      const agree = names.map(
        name => `export const to${name} = (real: Frozen<real.${name}>): published.${name} => real
export const from${name} = (one: published.${name}): Frozen<real.${name}> => one`,
      )
      await writeFile(
        join(place, `${module}.ts`),
        `import type * as published from '../dist/library/${module}.js'
import type * as real from '../src/library/${module}.ts'
type Frozen<Type> = Type extends readonly (infer Item)[] ? readonly Frozen<Item>[] : Type extends object ? { readonly [Key in keyof Type]: Frozen<Type[Key]> } : Type
${agree.join('\n')}
`,
      )
    }
    await writeFile(join(place, 'tsconfig.json'), '{ "extends": "../tsconfig.json", "include": ["*.ts"] }')
    const { all } = await run([
      join(root, 'node_modules/typescript/bin/tsc'),
      '--singleThreaded',
      '-p',
      place,
    ])
    expect(all).toBe('')
  } finally {
    await rm(place, { recursive: true, force: true })
  }
})

test('importing has no side effects, and both module systems share one instance', async () => {
  const printed = await runProgram(
    'import.mjs',
    `import { createRequire } from 'node:module'
const streams = [process.stdout, process.stderr]
const state = () => JSON.stringify([process.eventNames(), Object.keys(globalThis), process.getActiveResourcesInfo()])
const before = state()
const esm = { ...(await import('callyard')), ...(await import('callyard/sandbox')) }
const require = createRequire(import.meta.url)
const cjs = { ...require('callyard'), ...require('callyard/sandbox') }
for (const [name, value] of Object.entries(esm)) if (cjs[name] !== value) console.log(name, 'differs')
const loaded = Object.keys(require.cache).filter(file => file.includes('chunks'))
const same = before === state()
console.log(Object.keys(esm).sort().join(), loaded.length)
console.log(same)
`,
  )
  expect(printed.split('\n')).toEqual([
    expect.stringMatching(
      /^CallyardError,jsonSchema,receiveWebhooks,setupSandbox,startSandbox,validate [0-3]$/,
    ),
    'true',
  ])
})

test('an uncaught error is printed with its line of code instead of the bundle', async () => {
  await writeFile(
    join(folder, 'uncaught.mjs'),
    "import { startSandbox } from 'callyard/sandbox'\nawait startSandbox({ projekt: 'desk' })\n",
  )
  const { exitCode, stderr } = await run(['uncaught.mjs'])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('projekt is not a known field; did you mean project?')
  expect(stderr.length).toBeLessThan(3000)
})

const fakeTimerRunners = {
  'node:test': {
    imports: "import { test, mock } from 'node:test'",
    install: 'mock.timers.enable()',
    run: (file: string) => run(['--test', file]),
  },
  vitest: {
    imports: "import { test, vi } from 'vitest'",
    install: 'vi.useFakeTimers()',
    run: (file: string) =>
      run([join(folder, 'node_modules/vitest/vitest.mjs'), 'run', file, ...patientVitest]),
  },
} as const

test.for(['node:test', 'vitest'] as const)(
  'fake timers of %s installed after the first webhook do not stop the sandbox or the receiver',
  async name => {
    const { imports, install, run } = fakeTimerRunners[name]
    const file = `fake-timers-${name.replace(':', '-')}.test.mjs`
    await writeFile(
      join(folder, file),
      `import assert from 'node:assert/strict'
${imports}
import { receiveWebhooks } from 'callyard'
import { startSandbox } from 'callyard/sandbox'
test('with fake timers', async () => {
  const receiver = await receiveWebhooks()
  const sandbox = await startSandbox({ project: 'desk', env: { WEBHOOK_URL: receiver.url } })
  const call = async () => {
    const { id, endedBy } = await sandbox.call({ assistant: 'front-desk', caller: ['When are you open?', 'Goodbye'] })
    assert.equal(endedBy, 'assistant')
    await receiver.next({ call: id, status: 'finished' })
  }
  await call()
  ${install}
  await call()
  await call()
  await assert.rejects(receiver.next('never', { timeoutMs: 1 }), { code: 'timeout' })
  await sandbox.advance('1h')
  await sandbox.close()
  await receiver.close()
})
`,
    )
    const { exitCode, all } = await run(file)
    expect(exitCode, all).toBe(0)
  },
)

test('a call with a tool starts no worker thread', async () => {
  const printed = await runProgram(
    'workers.mjs',
    `import { startSandbox } from 'callyard/sandbox'
let workers = 0
process.on('worker', () => workers++)
const sandbox = await startSandbox()
for (const format of [{ format: 'date' }, { format: 'date', pattern: '^2026-' }]) {
  const headers = { authorization: 'Bearer ' + sandbox.apiKey, 'content-type': 'application/json' }
  const body = JSON.stringify({
    type: 'function',
    function: {
      name: 'book_visit',
      description: 'Book a visit',
      parameters: { type: 'object', properties: { day: { type: 'string', ...format } }, required: ['day'] },
    },
  })
  const response = await fetch(sandbox.baseUrl + '/assistants/v1/tools', { method: 'POST', headers, body })
  const { _id } = await response.json()
  const call = await sandbox.call({ assistant: { assistantToolIds: [_id] }, caller: ['Please book a visit for 2026-03-14', '/hangup'] })
  console.log(call.toolCalls[0]?.arguments.day, workers)
}
await sandbox.close()
`,
  )
  expect(printed.trim().split('\n')).toEqual(['2026-03-14 0', '2026-03-14 0'])
})

test('close leaves no handle or listener, and the process exits', async () => {
  const printed = await runProgram(
    'handles.mjs',
    `import { setTimeout as delay } from 'node:timers/promises'
import { receiveWebhooks } from 'callyard'
import { startSandbox } from 'callyard/sandbox'
// Without the pipes of stdout and stderr, which open when they are first written to.
const active = () => process.getActiveResourcesInfo().filter(name => name !== 'PipeWrap').sort().join()
const before = active()
const receiver = await receiveWebhooks()
const open = Array.from({ length: 20 }, (_, seed) =>
  startSandbox({ project: 'desk', seed, env: { WEBHOOK_URL: receiver.url }, frozen: seed === 1, pace: seed === 2 ? 1 : 0 }))
const sandboxes = await Promise.all(open)
await sandboxes[0].world()
const calls = sandboxes.map(sandbox => sandbox.call({ assistant: 'front-desk', caller: ['Where is the workshop?', 'Goodbye'] }))
await Promise.all(calls.filter((_, index) => index !== 1 && index !== 2))
const waits = receiver.next('never').catch(({ code }) => code)
await Promise.all(sandboxes.map(sandbox => sandbox.close()))
await receiver.close()
await Promise.all(sandboxes.map(sandbox => sandbox.close()))
await Promise.all(calls)
// Sockets that were closed are gone after some rounds of the event loop.
for (let looks = 0; active() !== before && looks < 1000; looks++) await delay(10)
const left = active()
console.log(await waits, left === before ? '' : left)
`,
  )
  expect(printed.trim()).toBe('closed')
})
