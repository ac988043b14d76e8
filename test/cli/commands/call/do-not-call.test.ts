import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const path = '/calls/v1/conversations'
const start = ['call', 'start', '--from', '+12025550100', '--to']
const call = (to: string, ...flags: string[]) => [...start, to, ...flags]

function project(list: string) {
  return testCli({ 'callyard.yaml': '', 'do-not-call.csv': list, 'sub/x.txt': '' })
}

test('a person on the do-not-call list of the project is not called', async () => {
  const cli = await project('number,note\n+1 (202) 555-0123,asked\n')
  const connect = ['call', 'connect', '--phone-number-id', 'pn_1', '--to', '+12025550123']
  for (const argv of [call('+12025550123'), call('+1 202 555 0123', '--yes'), connect]) {
    const { exitCode, stderr } = await cli.run(...argv)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('+12025550123 is in do-not-call.csv; nobody was called')
    expect(stderr).toContain('--despite-opt-out')
  }
  expect(cli.requests).toEqual([])
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  expect(await cli.run(...call('+12025550124', '--yes'))).toMatchObject({ exitCode: 0 })
})

test('--despite-opt-out requires a confirmation', async () => {
  const cli = await project('+12025550123\n')
  expect(await cli.run(...call('+12025550123', '--despite-opt-out'))).toMatchObject({ exitCode: 2 })
  cli.type('n')
  expect(await cli.run(...call('+12025550123', '--despite-opt-out'))).toMatchObject({ exitCode: 130 })
  expect(cli.requests).toEqual([])
  cli.answer('POST', path, { json: { sid: 'CC-1' } })
  expect(await cli.run(...call('+12025550123', '--despite-opt-out', '--yes'))).toMatchObject({ exitCode: 0 })
  cli.answer('POST', path, { json: { sid: 'CC-2' } })
  cli.type('y', 'y')
  expect(await cli.run(...call('+12025550123', '--despite-opt-out'))).toMatchObject({ exitCode: 0 })
})

test.each(['12025550123', '+12025550124/3', '+12025550123 x7'])(
  'a number that an entry may mean is not called: %s',
  async entry => {
    const cli = await project(`number\n${entry}\n`)
    for (const argv of [call('+12025550123'), call('001 202 5550123', '--allow-any-number')]) {
      const { exitCode, stderr } = await cli.run(...argv)
      expect(exitCode).toBe(2)
      expect(stderr).toContain('is in do-not-call.csv; nobody was called')
    }
    expect(cli.requests).toEqual([])
  },
)

test('a list that cannot be read prevents every call of the project', async () => {
  const cli = await project('number\nAda\n')
  const { exitCode, stderr } = await cli.run(...call('+12025550124', '--yes'))
  expect(exitCode).toBe(3)
  expect(stderr).toContain('do-not-call.csv:2:1')
  expect(cli.requests).toEqual([])
})
