import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

test.each([
  [['plan', '-o', 'plan.json'], '-o', 'did you mean --out?'],
  [['plan', '-oplan.json'], '-o', 'did you mean --out?'],
  [['webhook', 'show', 'calls.ndjson', '--output', 'x.md'], '--output', 'did you mean --out?'],
  [['test', '--junit', 'a.xml'], '--junit', 'did you mean --out junit:file?'],
  [['validate', '.', '--sarif', 'a.sarif'], '--sarif', 'did you mean --out sarif:file?'],
  [['test', '--report', 'a.html'], '--report', 'did you mean --out html:file?'],
  [['call', 'chat', '--save', 'a.txt'], '--save', 'did you mean --out file?'],
  [['batch', 'run', 'list.csv', '--results=a.csv'], '--results', 'did you mean --out file?'],
  [['apply', '--sarif', 'a.sarif'], '--sarif', 'callyard apply --help'],
  [['help', '--out'], '--out', 'callyard batch run'],
  [['schema', 'tool', '-o', 'tool.json'], '-o', 'redirect stdout with >'],
])(
  '%j: the hint names the flag that writes a file, or the alternative without one',
  async (argv, flag, hint) => {
    const cli = await testCli()
    const { exitCode, stderr } = await cli.run(...argv)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`unknown flag ${flag} for callyard `)
    expect(stderr.toLowerCase()).toContain(hint)
  },
)

test('-y and -q are short for --yes and --quiet', async () => {
  const cli = await testCli()
  const input = 'key-of-a-test'
  await cli.runWith(
    { input },
    'profile',
    'add',
    'work',
    '--base-url',
    'http://127.0.0.1:4010',
    '--api-key-stdin',
  )
  expect(await cli.run('profile', 'remove', 'work', '-y', '-q')).toMatchObject({
    exitCode: 0,
    stdout: 'Removed profile work\n',
    stderr: '',
  })
})
