import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { acceptCalls, batchCommands } from './batch-commands.ts'

const contacts = 'id,name,phone\n1,Ada,+12025550110\n2,Bo,+12025550111\n3,Cy,+12025550112\n'
const scripted = ['--yes', '--max-calls', '100']

/** A batch of three people, two of whom were called before `.callyard` was removed. */
async function lostJournal({ settings = 'results: results.csv\n', later = 0 } = {}) {
  const batchFile = `list: contacts.csv\nfrom: "+12025550100"\n${settings}`
  const files = { 'callyard.yaml': '', 'batches/calls.yaml': batchFile, 'batches/contacts.csv': contacts }
  const { cli, batch, json } = batchCommands(await testCli(files))
  acceptCalls(cli, 'CC-1', 'CC-2', ...Array.from({ length: later }, (_, index) => `CC-later-${index}`))
  await batch('run', 'calls', '--yes', '--max-calls', '2')
  await rm(join(cli.folder, '.callyard'), { recursive: true })
  return { cli, batch, json, placed: () => cli.requests.filter(({ method }) => method === 'POST').length }
}

test('a script without the journal calls nobody again, because results and call log show earlier calls', async () => {
  const { batch, json, placed } = await lostJournal({ later: 3 })
  const { exitCode, stderr } = await batch('run', 'calls', ...scripted)
  expect(exitCode).toBe(9)
  expect(stderr.replace(/\s+/g, ' ')).toMatch(
    /batch calls has no journal here, but 2 of 3 people were called before according to results\.csv and the call log, last on .+; nobody was called hint: restore .+ --again/,
  )
  expect(placed()).toBe(2)
  expect((await json('run', 'calls', ...scripted)).data).toMatchObject([{ error: { kind: 'conflict' } }])
  expect(await batch('run', 'calls', '--again', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(placed()).toBe(5)
  // The journal is there again.
  expect(await batch('run', 'calls', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(placed()).toBe(5)
})

test('either witness is enough', async () => {
  const config = { CALLYARD_CONFIG_DIR: await temporaryFolder() }
  const elsewhere = await lostJournal()
  const resultsAlone = await elsewhere.cli.runWith({ env: config }, 'batch', 'run', 'calls', ...scripted)
  expect(resultsAlone.exitCode).toBe(9)
  expect(resultsAlone.stderr.replace(/\s+/g, ' ')).toContain('according to results.csv; nobody')
  const { batch } = await lostJournal({ settings: '' })
  const logAlone = await batch('run', 'calls', ...scripted)
  expect(logAlone.exitCode).toBe(9)
  expect(logAlone.stderr.replace(/\s+/g, ' ')).toContain('according to the call log, last')
})

test('a person is asked, also with --yes', async () => {
  const { cli, placed } = await lostJournal({ later: 3 })
  const run = () => cli.runWith({ terminal: true }, 'batch', 'run', 'calls', '--quiet', ...scripted)
  cli.type('n')
  const { exitCode, stderr } = await run()
  expect(exitCode).toBe(130)
  expect(stderr).toContain('nobody was called')
  expect(placed()).toBe(2)
  cli.type('y')
  expect(await run()).toMatchObject({ exitCode: 0 })
  expect(placed()).toBe(5)
})

test('another name, other people and a call that did not reach the service are no witnesses', async () => {
  const { batch, placed } = await lostJournal({ settings: '', later: 3 })
  expect(await batch('run', 'calls', '--name', 'december', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(placed()).toBe(5)
  const { cli: failing, batch: run } = batchCommands(
    await testCli({ 'people.csv': 'phone\n+12025550113\n', 'callyard.yaml': '' }),
  )
  failing.answer('POST', '/calls/v1/conversations', { status: 422, json: { message: 'no' } })
  const flags = ['--from', '+12025550100', ...scripted]
  await run('run', 'people.csv', ...flags)
  await rm(join(failing.folder, '.callyard'), { recursive: true })
  acceptCalls(failing, 'CC-1')
  expect(await run('run', 'people.csv', ...flags)).toMatchObject({ exitCode: 0 })
})

test('with another batch in the folder, the results are of that one', async () => {
  const files = {
    'callyard.yaml': '',
    'batches/calls.yaml': 'list: contacts.csv\nfrom: "+12025550100"\nresults: results.csv\n',
    'batches/contacts.csv': contacts,
  }
  const { cli, batch } = batchCommands(await testCli(files))
  acceptCalls(cli, 'CC-1', 'CC-2', 'CC-3', 'CC-4', 'CC-5', 'CC-6')
  await batch('run', 'calls', ...scripted)
  expect(await batch('run', 'calls', '--name', 'december', ...scripted)).toMatchObject({ exitCode: 0 })
  expect(cli.requests.filter(({ method }) => method === 'POST')).toHaveLength(6)
})
