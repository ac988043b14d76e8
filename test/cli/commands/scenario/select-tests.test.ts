import { beforeEach, expect, test } from 'vitest'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

const passes = 'assistant: { welcomeMessage: Hello }\nexpect: { says: Hello }\n'

let cli: TestCli
beforeEach(async () => {
  cli = await testCli({
    'callyard.yaml': '',
    'tests/hours.test.yaml': `name: Opening hours\ntags: [faq]\n${passes}`,
    'tests/sales/booking.test.yaml': `name: A booking\ntags: [tools, slow]\n${passes}`,
    'tests/price.test.yaml': `name: Ｐrice  of a repair {{n}}\ntags: faq\neach: [{ n: 1 }, { n: 2 }]\n${passes}`,
  })
})

test.each([
  [[], ['hours', 'price[1]', 'price[2]', 'sales/booking']],
  [['-t', 'HOURS'], ['hours']],
  [['-t', 'sales/'], ['sales/booking']],
  [
    ['-t', 'price of'],
    ['price[1]', 'price[2]'],
  ],
  [['-t', 'price[2]'], ['price[2]']],
  [['--tag', 'SLOW', '--tag', 'tools'], ['sales/booking']],
  [['--tag', 'faq', '-t', 'hours'], ['hours']],
] as const)('%j selects %j: a part of the name or id, one of the tags, in any case', async (flags, ids) => {
  const { exitCode, stdout } = await cli.run('test', ...flags, '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout).tests.map(({ id }: { id: string }) => id)).toEqual(ids)
})

test.each([
  [['-t', 'openning'], 'the name "openning"', 'did you mean Opening hours?'],
  [['-t', 'zzz'], 'the name "zzz"', 'a part of the name or id is enough: hours'],
  [['--tag', 'tool'], 'the tag "tool"', 'did you mean tools?'],
  [['--tag', 'zzz'], 'the tag "zzz"', 'available: faq, tools, slow'],
  [['-t', 'hours', '--tag', 'slow'], 'the name "hours" and the tag "slow"', 'did you mean Opening hours?'],
])('%j selects no test, and the error has similar names', async (flags, wanted, hint) => {
  expect(await cli.run('test', ...flags)).toMatchObject({
    exitCode: 3,
    stderr: `error: none of 4 tests has ${wanted}\nhint: ${hint}\n`,
  })
})
