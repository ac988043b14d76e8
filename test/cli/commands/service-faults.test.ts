import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { HttpFaults } from '../../../src/files/formats/fault-names.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

const numbers = ['--to', '+12025550123', '--assistant', 'desk.yaml']

/** Every command that talks to the service and makes one record. */
const posts = {
  'assistant create': ['assistant', 'create', 'desk.yaml'],
  'tool create': ['tool', 'create', 'tool.yaml'],
  'call start': ['call', 'start', '--yes', '--from', '+12025550100', ...numbers],
  'call connect': ['call', 'connect', '--yes', '--phone-number-id', 'p1', ...numbers],
  'faq push (insert)': ['faq', 'push', 'new.yaml', '--kb', 'kb1'],
  'api POST': ['api', 'POST', '/assistants/v1/tools', '--body', '{"type":"function"}'],
} as const

type Fault = '429' | '500' | 'hang' | 'reset'

/** One command against a sandbox that does this to every request, and what the sandbox holds before and after. */
async function attempt(fault: Fault, argv: readonly string[], more: Files) {
  const { cli, service } = await openService({ [fault]: 1 }, more)
  const before = await records(cli.folder)
  const timeout = fault === 'hang' ? ['--timeout', '2s'] : []
  const { exitCode, stdout, stderr } = await cli.run(...argv, '--json', ...timeout)
  await service.close()
  const after = await records(cli.folder)
  return {
    exitCode,
    stderr,
    document: JSON.parse(stdout),
    /** Number of requests of the command. */
    attempts: service.events.filter(({ kind }) => kind === 'fault').length,
    made: after.size - before.size,
    changed: [...after].some(([id, record]) => before.has(id) && !isDeepStrictEqual(record, before.get(id))),
  }
}

/** A sandbox that keeps its records in the folder of a command line that talks to it. */
async function openService(httpFaults: HttpFaults, more: Files = {}, seed?: number) {
  const cli = await testCli({ ...files, ...more })
  const service = await startTestSandbox({ data: join(cli.folder, 'records.ndjson'), httpFaults, seed })
  // The sandbox loads its routes at the first request: it must not take the time of one that is to hang.
  await fetch(service.baseUrl)
  const env = { CALLYARD_BASE_URL: service.baseUrl, CALLYARD_API_KEY: service.apiKey }
  return {
    service,
    cli: { folder: cli.folder, run: (...argv: readonly string[]) => cli.runWith({ env }, ...argv) },
  }
}

const files: Files = {
  'desk.yaml': 'name: Desk\n',
  'tool.yaml': 'type: function\n',
  'change.yaml': 'async: true\n',
  'new.yaml': 'faq:\n  - question: When?\n    answer: Now.\n',
  'records.ndjson': '',
}

type Files = Readonly<Record<string, string>>

/** The same command under every fault, all at once. */
async function attempts(argv: readonly string[], more: Files = {}) {
  const [refused, failed, hung, reset] = await Promise.all([
    attempt('429', argv, more),
    attempt('500', argv, more),
    attempt('hang', argv, more),
    attempt('reset', argv, more),
  ])
  return { refused, failed, hung, reset }
}

/** The records that the sandbox’s journal holds: id → record. */
async function records(folder: string): Promise<Map<string, unknown>> {
  const journal = await readFile(join(folder, 'records.ndjson'), 'utf8')
  const changes = journal
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  return new Map(
    changes.flatMap(({ record, entries = record === undefined ? [] : [record] }) =>
      entries.map((one: { _id?: string; id?: string }) => [one._id ?? one.id, one]),
    ),
  )
}

/** A push is many requests that belong together: it waits longer for a service that asks for patience. */
function refusedAttempts(name: string): number {
  return name.startsWith('faq push') ? 10 : 3
}

test.each(Object.entries(posts))(
  '%s: 429 is sent again after Retry-After; anything that leaves the outcome unknown is reported and not sent again',
  async (name, argv) => {
    const { refused, failed, hung, reset } = await attempts(argv)
    const document = expect.any(Object)
    expect(refused).toMatchObject({ exitCode: 5, attempts: refusedAttempts(name), document, made: 0 })
    // A lost FAQ batch is a conflict that the next run must know of.
    const lost = {
      exitCode: name.startsWith('faq') ? 9 : 6,
      stderr: expect.stringMatching(/may have (been|taken effect)|outcome is unknown/),
      attempts: 1,
      document,
    }
    expect(failed).toMatchObject({ ...lost, made: 0 })
    expect(hung).toMatchObject({ ...lost, made: 0 })
    // The hard case: the change was made and the response was lost.
    expect(reset).toMatchObject({ ...lost, made: 1 })
  },
)

test.each(['tool update', 'faq push (update)'] as const)(
  '%s: a failure is sent again, three times in all',
  async name => {
    const { tool, entry, journal } = await prepare()
    const { refused, failed, hung, reset } = await attempts(
      name === 'tool update'
        ? ['tool', 'update', tool, 'change.yaml']
        : ['faq', 'push', 'known.yaml', '--kb', 'kb1'],
      {
        'records.ndjson': journal,
        'known.yaml': `faq:\n  - id: ${entry}\n    question: Where?\n    answer: There.\n`,
      },
    )
    const undone = { attempts: 3, made: 0, changed: false }
    expect(refused).toMatchObject({ exitCode: 5, ...undone, attempts: refusedAttempts(name) })
    expect(failed).toMatchObject({ exitCode: 6, ...undone })
    expect(hung).toMatchObject({ exitCode: 6, ...undone })
    expect(reset).toMatchObject({ exitCode: 6, attempts: 3, made: 0, changed: true })
    for (const { stderr } of [failed, hung, reset]) expect(stderr).toContain('gave up after 3 attempts')
  },
)

/** A tool and an FAQ entry that the commands can change, made without faults. */
async function prepare() {
  const { cli, service } = await openService({})
  const { body: tool } = await service.send('POST', '/assistants/v1/tools', { type: 'function' })
  const { body: base } = await service.send('POST', '/kb/v1/knowledge-bases/kb1/faq-template', {
    faq: [{ question: 'Where?', answer: 'Here.' }],
  })
  await service.close()
  const { faq } = z.object({ faq: z.array(z.object({ id: z.string() })) }).parse(base)
  const journal = await readFile(join(cli.folder, 'records.ndjson'), 'utf8')
  return { tool: String(tool._id), entry: faq[0]?.id ?? '', journal }
}

test('temporarily rejected requests succeed later, and nothing is created twice', async () => {
  const { cli, service } = await openService({ 429: 0.5 }, {}, 3)
  const codes: unknown[] = []
  for (let sent = 0; sent < 6; sent += 1) codes.push((await cli.run('tool', 'create', 'tool.yaml')).exitCode)
  await service.close()
  expect(service.events.filter(({ kind }) => kind === 'fault').length).toBeGreaterThan(0)
  expect(new Set(codes).size).toBeLessThanOrEqual(2)
  expect((await records(cli.folder)).size).toBe(codes.filter(code => code === 0).length)
})
