import { expect, test } from 'vitest'
import { validate } from '../../../../src/library/index.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const good = `timezone: Europe/Berlin
rules:
  - name: slow
    when: p95(reply) over 10m > 3s
    minCalls: 20
    exec: ./alert.sh
  - name: silent
    when: "no events for 15m between 09:00 and 18:00"
    url: https://alerts.example.com/hook
    headers:
      authorization: Bearer \${env:ALERT_TOKEN:-none}
`

const bad = `timezone: Berlin
rules:
  - name: a
    when: p95(replay) over 10m > 3s
  - name: a
    when: 'share(failed) > 20%'
    exec: echo \${env:HOME:-there}
    url: https://alerts.example.com
  - name: b
    when: count(busy) over last 20000 calls > 5
    headers: { host: example.com }
  - name: c
    when: no evnts for 15m
`

test('a guard file is valid, and its access is listed', async () => {
  const cli = await testCli({ 'guards/calls.yaml': good, 'guards/alert.sh': 'true\n' })
  const { exitCode, stdout } = await cli.run('validate', '.', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    files: 1,
    errors: 0,
    skipped: [],
    access: { variables: ['ALERT_TOKEN'] },
  })
})

test('names the place of each problem of a rule, and what may be meant', async () => {
  const cli = await testCli({
    'guards/calls.yaml': bad.replace('timezone: Berlin', '').replace('host:', 'x-token:'),
  })
  const { stdout } = await cli.run('validate', 'guards/calls.yaml', '--json')
  const { diagnostics } = JSON.parse(stdout)
  const found = diagnostics.map(
    ({ code, position, hint }: { code: string; position: { line: number; column: number }; hint?: string }) =>
      [code, `${position.line}:${position.column}`, hint].filter(part => part !== undefined),
  )
  expect(found).toEqual([
    ['unreadable-condition', '4:15', 'did you mean reply?'],
    ['duplicate-rule', '5:11', expect.any(String)],
    ['unreadable-condition', '6:12', expect.stringContaining('over 10m')],
    ['command-with-variable', '7:11', expect.any(String)],
    ['two-actions', '8:10', expect.any(String)],
    ['window-too-large', '10:11'],
    ['headers-without-url', '11:14'],
    ['unreadable-condition', '13:14', 'did you mean events?'],
  ])
})

test('validate of the library finds the same', async () => {
  const { folder } = await testCli({ 'guards/calls.yaml': bad })
  const findings = await validate('guards/calls.yaml', { cwd: folder })
  expect(findings.map(({ code }) => code)).toEqual(['wrong-format', 'unknown-key'])
})
