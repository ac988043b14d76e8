import { describe, expect, onTestFinished, test } from 'vitest'
import { type Misbehaviour, misbehavingServer } from '../../helpers/misbehaving-server.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import { testCli } from '../../helpers/test-cli.ts'

const numbers = ['--to', '+12025550123']
const key = 'key-that-nobody-may-see-0042'

/** Every command that talks to the service, by the method it uses. */
const posts = {
  'assistant create': ['assistant', 'create', 'desk.yaml'],
  'tool create': ['tool', 'create', 'tool.yaml'],
  'faq push (insert)': ['faq', 'push', 'new.yaml', '--kb', 'kb1'],
  'call start': ['call', 'start', '--yes', '--from', '+12025550100', ...numbers],
  'call connect': ['call', 'connect', '--yes', '--phone-number-id', 'p1', ...numbers],
  'api POST': ['api', 'POST', '/assistants/v1/tools', '--body', '{"type":"function"}'],
} as const

const repeatable = {
  'tool update': ['tool', 'update', 't1', 'change.yaml'],
  'faq push (update)': ['faq', 'push', 'known.yaml', '--kb', 'kb1'],
} as const

/** Refusals: nothing happened. test/service/api/http.test.ts has the kind of each, which decides on the exit code. */
const refusals: readonly [Misbehaviour, number][] = [
  [401, 4],
  [422, 5],
]

/**
 * Responses that leave the outcome unknown, and that each command reads by itself. test/service/api/http.test.ts has the others,
 * service-faults.test.ts what is done at the service meanwhile.
 */
const unknowns: readonly Misbehaviour[] = ['html', 'empty', 'broken json']

const files = {
  'desk.yaml': 'name: Desk\n',
  'tool.yaml': 'type: function\n',
  'change.yaml': 'async: true\n',
  'new.yaml': 'faq:\n  - question: When?\n    answer: Now.\n',
  'known.yaml': 'faq:\n  - id: f1\n    question: When?\n    answer: Now.\n',
}

async function attempt(argv: readonly string[], ...modes: Misbehaviour[]) {
  const server = await misbehavingServer(...modes)
  onTestFinished(() => server.close())
  const cli = await testCli(files, {
    env: { CALLYARD_BASE_URL: server.baseUrl, CALLYARD_API_KEY: key },
  })
  const result = await cli.run(...argv, '--json', '--debug')
  return { ...result, requests: server.requests }
}

function expectCleanFailure(
  { stdout, stderr, exitCode }: Awaited<ReturnType<typeof attempt>>,
  expected: number,
) {
  expect(exitCode, stderr).toBe(expected)
  expect(stdout + stderr).not.toContain(key)
  expect(stderr).not.toMatch(/^ {4}at /m)
  expect(JSON.parse(stdout)).toBeTypeOf('object')
}

describe.each(Object.entries({ ...posts, ...repeatable }))('%s', (_name, argv) => {
  test.each(refusals)('exits with %i after one request rejected with %s', async (mode, exitCode) => {
    const result = await attempt(argv, mode)
    expectCleanFailure(result, exitCode)
    expect(result.requests).toHaveLength(1)
  })

  test('503 with a Retry-After that has passed is sent again', async () => {
    const result = await attempt(argv, '503 retry after a date', 422)
    expectCleanFailure(result, 5)
    expect(result.requests).toHaveLength(2)
  })
})

test('does not retry a POST after a 429 without Retry-After', async () => {
  const result = await attempt(posts['tool create'], 429)
  expectCleanFailure(result, 5)
  expect(result.requests).toHaveLength(1)
})

describe.each(Object.entries(posts))('%s with an unknown outcome', (name, argv) => {
  test.each(unknowns)('%s is reported and never sent again', async mode => {
    const result = await attempt(argv, mode)
    // `api` shows any body of a 200; a lost FAQ batch is a conflict that the next run must know of.
    if (name === 'api POST') {
      expect(result.exitCode).toBe(0)
      expect(JSON.parse(result.stdout)).toBeDefined()
    } else {
      // An empty 2xx is a success whose id is not known.
      const isDone = mode === 'empty'
      expectCleanFailure(result, isDone ? 8 : name.startsWith('faq') ? 9 : 6)
      expect(result.stderr).toMatch(isDone ? /succeeded \(200\)/ : /may have|outcome (is )?unknown/)
    }
    expect(result.requests).toHaveLength(1)
  })
})

test.each(Object.entries(posts))(
  '%s without a service exits 6, says so, and nothing was sent',
  async (_name, argv) => {
    const cli = await testCli(files, {
      env: { CALLYARD_BASE_URL: await refusingOrigin(), CALLYARD_API_KEY: key },
    })
    const { exitCode, stdout, stderr } = await cli.run(...argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
    expect(stderr).toMatch(/refused/i)
  },
)
