import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realClock } from '../../../helpers/real-clock.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const begun = {
  ...{ step: 'begun', at: '2026-11-24T09:00:00.000Z', version: 1 },
  ...{ service: 'https://api.example.com', file: 'calls' },
}

test('counts only its own people while another one adds a list', async () => {
  const cli = await testCli({
    ...{ 'callyard.yaml': '', 'batches/calls.yaml': 'list: people.csv\nfrom: "+12025550100"\n' },
    'batches/people.csv': 'to\n+12025550110\n',
    'more.csv': 'to\n+12025550111\n+12025550112\n+12025550110\n',
    '.callyard/batches/calls/journal.ndjson': `${JSON.stringify(begun)}\n`,
  })
  const folder = join(cli.folder, '.callyard/batches/calls')
  const other = 'lists/00000000-other.csv'
  let isAdded = false
  /** Adds the other list between the two times that the command reads the batch, which both ask for the time. */
  const now = () => {
    if (!isAdded) {
      isAdded = true
      mkdirSync(join(folder, 'lists'))
      writeFileSync(join(folder, other), 'to\n+12025550113\n+12025550114\n+12025550115\n+12025550110\n555\n')
      appendFileSync(join(folder, 'control.ndjson'), `${JSON.stringify({ request: 'add', list: other })}\n`)
    }
    return realClock.now()
  }
  const added = await cli.runWith({ clock: { ...realClock, now } }, ...['batch', 'add', 'calls', 'more.csv'])
  expect(added).toMatchObject({ exitCode: 0, stderr: '' })
  expect(added.stdout).toBe('Added 2 people to calls (1 in the batch already): 6 to call\n')
})

test.each([
  ['to\n+12025550110\n', 'duplicate-person'],
  ['to,consent\n+12025550111,no\n', 'no-consent'],
])('adds nobody of a list without anybody to call, and says why: %j', async (content, code) => {
  const cli = await testCli({
    ...{ 'callyard.yaml': '', 'batches/calls.yaml': 'list: people.csv\nfrom: "+12025550100"\n' },
    'batches/people.csv': 'to\n+12025550110\n',
    'more.csv': content,
    '.callyard/batches/calls/journal.ndjson': `${JSON.stringify(begun)}\n`,
  })
  const { exitCode, stderr } = await cli.run('batch', 'add', 'calls', 'more.csv')
  expect(exitCode).toBe(3)
  expect(stderr).toContain(`[${code}]`)
  expect(stderr).toContain('error: nobody was added\n')
})
