import { chmod, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { encodeAs } from '../../../helpers/encode-as.ts'
import { codesOf } from '../../../helpers/errors.ts'
import { toJsonLines } from '../../../helpers/json-lines.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { batchCommands } from './batch-commands.ts'

const now = Date.parse('2026-11-24T13:00:00Z')
const clock = { now: () => now, sleep: async () => undefined }

const batch = `
list: contacts.csv
columns: { name: first_name }
from: ["+1 202 555 0100", { number: "+12025550101", calls: 100 }]
assistant: ../desk.yaml
window: { days: mon-fri, hours: 09:00-20:00, otherwise: America/New_York }
until: 2026-12-01T18:00[America/New_York]
rate: 20/min
retry: { on: [no-answer, busy], attempts: 3, after: [30m, 1d] }
`
const desk = 'name: Desk\nwelcomeMessage: Hello {{first_name}}, see you on {{day}}.\n'
const contacts = `id,first_name,phone,tz,day,note
1,Ada,+12025550110,America/New_York,Monday,a
2,Bo,+12025550111,Europe/Berlin,Tuesday,b
3,Cy,+12025550112,,Tuesday,c
`

function project(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  return testCli({
    'callyard.yaml': '',
    'desk.yaml': desk,
    'batches/reminders.yaml': batch,
    'batches/contacts.csv': contacts,
    ...files,
  })
}

async function planned(cli: TestCli, ...argv: string[]) {
  const { data, ...result } = await batchCommands(cli, { clock }).json('plan', ...argv)
  expect(cli.requests).toEqual([])
  return { ...result, plan: [data].flat()[0] }
}

/** The codes of findings with their lines. */
async function findingsFor(content: string, ...argv: string[]) {
  const { exitCode, plan } = await planned(
    await project({ 'batches/contacts.csv': content }),
    'reminders',
    ...argv,
  )
  const findings: { code: string; position: { line: number; column: number } }[] =
    plan.findings ?? plan.error.diagnostics
  return {
    exitCode,
    codes: findings.map(({ code, position }) => `${code}@${position?.line}:${position?.column}`),
    plan,
  }
}

test('plans a batch of the project without sending anything', async () => {
  const { exitCode, plan } = await planned(await project(), 'reminders')
  expect(exitCode).toBe(0)
  expect(plan).toMatchObject({
    ...{ batch: 'reminders', rows: 3, people: 3, skipped: { invalid: 0, duplicate: 0, doNotCall: 0 } },
    ...{
      calls: { first: 3, most: 9 },
      leastSeconds: { first: 9, most: 27 },
      until: '2026-12-01T23:00:00.000Z',
    },
    zones: [
      // 13:00 in UTC is 14:00 in Berlin. Five hours are left today, then Wednesday to Friday, Monday and Tuesday.
      {
        zone: 'Europe/Berlin',
        people: 1,
        opensAt: '2026-11-24T13:00:00.000Z',
        openSeconds: (6 + 5 * 11) * 3600,
      },
      {
        zone: 'America/New_York',
        people: 2,
        opensAt: '2026-11-24T14:00:00.000Z',
        openSeconds: (5 * 11 + 9) * 3600,
      },
    ],
    lists: [
      {
        file: 'batches/contacts.csv',
        to: ['phone'],
        id: 'id',
        timezone: 'tz',
        variables: ['first_name', 'day'],
      },
    ],
    counts: {},
    example: {
      path: '/calls/v1/conversations',
      body: {
        ...{ userNumber: '+12025550110', assistantNumber: '+12025550100', assistant: { name: 'Desk' } },
        assistantOverrides: { dynamicVariables: { first_name: 'Ada', day: 'Monday' } },
      },
    },
  })
  expect(plan.findings.map(({ code }: { code: string }) => code)).toEqual(['unused-column'])
})

test('prints the plan, and findings with their places', async () => {
  const cli = await project({ 'batches/contacts.csv': `${contacts}4,Di,1.2E+10,UTC,Monday,d\n` })
  const { exitCode, stdout, stderr } = await cli.runWith({ clock }, 'batch', 'plan', 'reminders')
  expect(exitCode).toBe(8)
  expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([])
  expect(stdout).toContain('people     3 to call\ncalls      3 to 9, with all attempts\n')
  expect(stdout).toMatch(/America\/New_York +2 +2026-11-24 09:00 +2 d 16 h\n/)
  expect(stderr).toContain(
    'batches/contacts.csv:5:6: error: column phone: 1.2E+10 is a number that a spreadsheet has shortened',
  )
  expect(stderr).toContain('error: 1 row of 4 cannot be called')
})

test('does not say how long people can be called before an end that is years away', async () => {
  const cli = await project({ 'batches/reminders.yaml': batch.replace('until: 2026', 'until: 2031') })
  const { plan } = await planned(cli, 'reminders')
  expect(plan.zones.map(({ openSeconds }: { openSeconds: number }) => openSeconds)).toEqual([null, null])
})

test.each([
  [['--exit-code'], 7],
  [['--exit-code', '--do-not-call', 'none.txt'], 7],
  [[], 0],
])('with %j ends with %i', async (flags, exitCode) => {
  const cli = await project({ 'none.txt': '+12025550110\n+12025550111\n' })
  expect(await planned(cli, 'reminders', ...flags)).toMatchObject({ exitCode })
})

describe('rows', () => {
  const header = 'id,first_name,phone,tz,day\n'
  test.each([
    ['1,Ada,12025550110,UTC,Mon', 'lost-plus@2:7'],
    ['1,Ada,+12025550110 / +12025550112,UTC,Mon', 'two-numbers@2:7'],
    ['1,Ada,202611280930,UTC,Mon', 'possible-date@2:7'],
    ['1,Ada,,UTC,Mon', 'missing-number@2:7'],
    ['1,Ada,+12025550110,EST,Mon', 'unknown-timezone@2:20'],
    ['1,Ada,+12025550110,+01:00,Mon', 'unknown-timezone@2:20'],
    ['1,Ada,+12025550110,UTC,', 'unset-variable@2:24'],
    ['1,Ada,+12025550110,UTC', 'unset-variable@2:1'],
    ['1,Lo, Ada,+12025550110,UTC,Mon', 'wrong-cell-count@2:1'],
    ['id,first_name,phone,tz,day', 'repeated-header@2:1'],
    ['1,#N/A,+12025550110,UTC,Mon', 'spreadsheet-error@2:3'],
    ['1,Ada,#BEZUG!,UTC,Mon', 'spreadsheet-error@2:7'],
    ['1,Ada,=B2,UTC,Mon', 'spreadsheet-error@2:7'],
    ['1,Ada,1.2E+10,UTC,Mon', 'shortened-number@2:7'],
    ['1.0E+05,Ada,+12025550110,UTC,Mon', 'shortened-number@2:1'],
    ['1,Ada,+12025550110,UTC,"1,5E+09"', 'shortened-number@2:24'],
  ])('%s is invalid: %s', async (row, code) => {
    const { exitCode, codes, plan } = await findingsFor(`${header}${row}\n2,Bo,+12025550111,UTC,Mon\n`)
    expect({ exitCode, codes }).toEqual({ exitCode: 8, codes: [code] })
    expect(plan).toMatchObject({ people: 1, skipped: { invalid: 1 } })
  })

  test('whose number may be two are invalid, and name both', async () => {
    const rows = '1,Ada,4915112345678,UTC,Mon\n2,Bo,0151 12345678,UTC,Mon\n'
    const { exitCode, codes, plan } = await findingsFor(`${header}${rows}`, '--default-country', 'de')
    expect({ exitCode, codes }).toEqual({ exitCode: 8, codes: ['lost-plus@2:7'] })
    expect(plan.findings[0].message).toContain('+4915112345678 or +494915112345678')
    expect(plan.example.body.userNumber).toBe('+4915112345678')
  })

  test.each([
    ['1,Ada "Al" Lo,="+12025550110",UTC,Mon', []],
    ['1,Ada,(+1) 202 555 0110,UTC,Mon', []],
    ['1,"Ada,+12025550110,UTC,Mon', ['broken-csv@2:3']],
    ['1,"Ada" Lo,+12025550110,UTC,Mon', ['broken-csv@2:3']],
    ['1,Ada,+12025550110,UTC,Mon,,x', ['no-heading@2:29']],
  ])('%s costs only itself', async (row, codes) => {
    const found = await findingsFor(
      `sep=,\n${header.trim()},,\n${row}\n,,,,,,\n2,"Bo",+12025550111,UTC,Mon,,\n`,
    )
    expect(found.codes).toEqual(codes.map(code => code.replace('@2', '@3')))
    expect(found.plan).toMatchObject({ people: codes[0]?.startsWith('broken') === true ? 1 : 2 })
  })

  test('with the same damaged id are not one person', async () => {
    const rows = ['#N/A', '#N/A', '1,0E+05', '1.0E+05'].map(
      (id, index) => `"${id}",Ada,+1202555011${index},UTC,Mon\n`,
    )
    const { exitCode, codes, plan } = await findingsFor(`${header}${rows.join('')}`)
    expect({ exitCode, codes }).toEqual({
      exitCode: 8,
      codes: [
        'spreadsheet-error@2:1',
        'spreadsheet-error@3:1',
        'shortened-number@4:1',
        'shortened-number@5:1',
      ],
    })
    expect(plan.findings[0].message).toBe('column id: #N/A is a spreadsheet error')
    expect(plan).toMatchObject({ people: 0, skipped: { invalid: 4, duplicate: 0 } })
  })

  test('with a word such as phone are not taken for the header', async () => {
    const { exitCode, codes } = await findingsFor(`${header.trim()},\n1,Ada,+12025550110,UTC,Mon,phone\n`)
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: ['no-heading@2:28'] })
  })

  test('may have a spreadsheet error in a column that is not sent', async () => {
    const { exitCode } = await findingsFor(`${header.trim()},note\n1,Ada,+12025550110,UTC,Mon,#N/A\n`)
    expect(exitCode).toBe(0)
  })

  test('of a person who is in a list already are skipped', async () => {
    const again = '2,Bo,+12025550110,UTC,Mon\n1,Ada,+12025550119,UTC,Mon\n'
    const { exitCode, codes, plan } = await findingsFor(`${header}1,Ada,+12025550110,UTC,Mon\n${again}`)
    expect({ exitCode, codes }).toEqual({
      exitCode: 0,
      codes: ['duplicate-person@3:6', 'duplicate-person@4:1'],
    })
    expect(plan.findings[0].message).toBe('same number as batches/contacts.csv:2:1; this row is skipped')
    expect(plan).toMatchObject({ people: 1, skipped: { duplicate: 2 } })
  })

  test('without a time zone are invalid unless the window gives one', async () => {
    const { exitCode, codes } = await findingsFor(
      `${header}1,Ada,+12025550110,,Mon\n`,
      ...['--timezone', 'contact', '--hours', '09:00-10:00'],
    )
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] })
    const cli = await testCli({ 'list.csv': 'phone\n+12025550110\n' })
    const flags = ['--from', '+12025550100', '--hours', '09:00-10:00']
    const { exitCode: code, plan } = await planned(cli, 'list.csv', ...flags)
    expect(code).toBe(8)
    expect(plan.findings).toMatchObject([{ code: 'missing-timezone' }])
    expect((await planned(cli, 'list.csv', ...flags, '--timezone', 'Asia/Tokyo')).plan).toMatchObject({
      people: 1,
    })
  })

  test('whose window does not open before the end are invalid', async () => {
    const { codes } = await findingsFor(contacts, '--until', '2026-11-24T13:30Z')
    expect(codes).toEqual([...['unused-column@1:1', 'window-stays-closed@2:20', 'window-stays-closed@4:19']])
  })

  test('of both numbers of a person count', async () => {
    const { codes, plan } = await findingsFor(
      `id,first_name,mobile,home,tz,day\n1,Ada,,+12025550110,UTC,Mon\n2,Bo,+12025550111,5,UTC,Mon\n3,Cy,,,UTC,Mon\n`,
      ...['--column', 'to=mobile', '--column', 'to=home'],
    )
    expect(codes).toEqual(['invalid-number@3:19', 'missing-number@4:6'])
    expect(plan).toMatchObject({ people: 1, example: { body: { userNumber: '+12025550110' } } })
  })

  test('of one code are listed up to a hundred, and all are counted', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `${index},x,555,UTC,Mon\n`)
    const { plan } = await findingsFor(`${header}${rows.join('')}`)
    expect(plan.findings).toHaveLength(100)
    expect(plan.counts).toEqual({ 'invalid-number': 250 })
    const cli = await project({ 'batches/contacts.csv': `${header}${rows.join('')}` })
    const { stderr } = await cli.runWith({ clock }, 'batch', 'plan', 'reminders')
    expect(stderr).toContain('… and 245 more [invalid-number]')
  })
})

describe('people who said no', () => {
  const list = (heading: string, cells: readonly string[]) => {
    const rows = cells.map((cell, index) => `${index},Ada,+1202555011${index},UTC,Mon,"${cell}"\n`)
    return `id,first_name,phone,tz,day,${heading}\n${rows.join('')}`
  }

  test.each([
    ['Consent', ['yes', 'no', 'revoked', 'nein', 'FALSE', '']],
    ['Opt-in', ['TRUE', 'opted out', '0', 'withdrawn 2026-01-02', 'none', '-']],
    ['Do not call', ['', 'yes', 'x', 'TRUE', '1', 'opted out']],
    ['Unsubscribed', ['0', '1', '1.0', '2026-01-02', 'ja', 'X']],
  ])('in a column %s are not called', async (heading, cells) => {
    const { exitCode, codes, plan } = await findingsFor(list(heading, cells))
    const code = /not call|unsub/i.test(heading) ? 'marked-do-not-call' : 'no-consent'
    expect({ exitCode, codes }).toEqual({
      exitCode: 0,
      codes: [3, 4, 5, 6, 7].map(line => `${code}@${line}:28`),
    })
    expect(plan).toMatchObject({ people: 1, skipped: { doNotCall: 5, invalid: 0 } })
    expect(plan.findings[0].message).toContain(`${heading} is "${cells[1]}"; this row is skipped`)
  })

  test.each(['Consent', 'DNC'])('or may have said it, in a column %s, are errors', async heading => {
    const { exitCode, codes, plan } = await findingsFor(
      list(heading, ['maybe', '?', heading === 'DNC' ? 'no' : 'yes']),
    )
    expect({ exitCode, codes }).toEqual({
      exitCode: 8,
      codes: ['unclear-consent@2:28', 'unclear-consent@3:28'],
    })
    expect(plan).toMatchObject({ people: 1, skipped: { invalid: 2 } })
  })

  test('must be recognizable: a heading that is not known stops the plan until it is decided', async () => {
    const content = list('Consent (1 = no)', ['0', '1'])
    const { exitCode, plan } = await findingsFor(content)
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([
      {
        code: 'undecided-column',
        position: { line: 1, column: 28 },
        hint: expect.stringContaining("--column 'doNotCall=Consent (1 = no)' if yes forbids"),
      },
    ])
    const decided = await findingsFor(content, '--column', 'donotcall=Consent (1 = no)')
    expect(decided.plan).toMatchObject({ people: 1, skipped: { doNotCall: 1 } })
    expect((await findingsFor(content, '--column', 'other=Consent (1 = no)')).plan).toMatchObject({
      people: 2,
    })
    expect((await findingsFor(list('Consent source', ['web', 'paper']))).plan).toMatchObject({ people: 2 })
  })

  test.each([
    ['DNC reason', ['none', 'asked by phone', ''], ['marked-do-not-call@3:28']],
    ['Status', ['new', 'blocked', 'Opted out'], ['marked-do-not-call@3:28', 'says-do-not-call@4:28']],
    ['Consent,Consent (phone)', ['yes","yes', 'yes","', 'yes","no'], ['no-consent@3:34', 'no-consent@4:34']],
    ['Mobile?', ['yes', 'no', 'yes'], ['unused-column@1:1']],
  ])('or not, in the columns %s', async (heading, cells, findings) => {
    const { exitCode, codes } = await findingsFor(list(heading, cells))
    expect({ exitCode, codes: codes.filter(code => code !== 'unused-column@1:1') }).toEqual({
      exitCode: 0,
      codes: findings.filter(code => code !== 'unused-column@1:1'),
    })
  })

  test('by phone, in a column without a cell, although they consent to something, stop the plan', async () => {
    const { exitCode, plan } = await findingsFor(list('Consent,Consent (phone)', ['yes","', 'yes","']))
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([
      { code: 'empty-consent', message: expect.stringContaining('Consent (phone) is empty') },
    ])
  })

  test('in the column of ids are not called', async () => {
    const rows = '1,Ada,+12025550111,UTC,Mon\nDNC,Bob,+12025550112,UTC,Mon\n'
    const { codes, plan } = await findingsFor(`id,first_name,phone,tz,day\n${rows}`)
    expect(codes).toEqual(['says-do-not-call@3:1'])
    expect(plan).toMatchObject({ people: 1 })
  })

  test('have one finding for a column in which nobody says anything', async () => {
    const content = list('Objection,DNC', ['price too high","', 'no budget","x', 'later","', '","'])
    const { exitCode, codes, plan } = await findingsFor(content)
    expect({ exitCode, codes }).toEqual({
      exitCode: 8,
      codes: ['unclear-column@1:28', 'marked-do-not-call@3:40'],
    })
    expect(plan).toMatchObject({ people: 1, skipped: { invalid: 2, doNotCall: 1 } })
    expect(plan.findings[0]).toMatchObject({
      message: expect.stringContaining('"price too high"'),
      hint: expect.stringContaining('pass --column other=Objection'),
    })
    const other = await findingsFor(content, '--column', 'other=Objection')
    expect(other.plan).toMatchObject({ people: 3, skipped: { invalid: 0, doNotCall: 1 } })
  })

  test('cannot be told from a column of consent that is empty', async () => {
    const content = list('Consent,Opt-in date', ['","', '-","n/a'])
    const { exitCode, plan } = await findingsFor(content)
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([
      {
        code: 'empty-consent',
        message: expect.stringContaining('Consent, Opt-in date are empty'),
        hint: expect.stringContaining("--column other=Consent --column 'other=Opt-in date'"),
      },
    ])
  })

  test('on a date are not called, and those who said yes on one are', async () => {
    const cells = ['1/2/26","', '45678","n/a', 'Jan 2, 2026","45679', 'n/a","', '2099-01-01","']
    const { codes, plan } = await findingsFor(list('Opt-in date,Opt-out date', cells))
    expect(codes).toEqual(['marked-do-not-call@4:42', 'no-consent@5:28', 'unclear-consent@6:28'])
    expect(plan).toMatchObject({
      people: 2,
      lists: [{ consent: ['Opt-in date'], doNotCall: ['Opt-out date'] }],
    })
  })

  test('in any other column, in so many words, are not called', async () => {
    const content = list('Status', ['new', 'Do not call', 'DNC, asked by mail', 'do not call before 9'])
    const { codes, plan } = await findingsFor(content)
    expect(codes).toEqual(['unused-column@1:1', 'says-do-not-call@3:28', 'says-do-not-call@4:28'])
    expect(plan).toMatchObject({ people: 2, skipped: { doNotCall: 2 } })
    expect((await findingsFor(content, '--column', 'doNotCall=')).plan).toMatchObject({ people: 4 })
  })

  test('are not called by another row either', async () => {
    const rows = '1,Ada,+12025550111,UTC,Mon,\n2,Ada,+12025550111,UTC,Mon,x\n2,Ada,+12025550112,UTC,Mon,\n'
    const { exitCode, codes, plan } = await findingsFor(`id,first_name,phone,tz,day,Opt-out\n${rows}`)
    expect({ exitCode, codes }).toEqual({
      exitCode: 0,
      codes: ['on-do-not-call-list@2:7', 'marked-do-not-call@3:28', 'on-do-not-call-list@4:7'],
    })
    expect(plan).toMatchObject({ people: 0, skipped: { doNotCall: 3 } })
    expect(plan.findings[0].message).toContain('is in batches/contacts.csv:3')
  })

  test.each([
    ['whose number has several readings', '1,Ada,"+12025550111 / +12025550112",UTC,Mon,x,\n'],
    ['that is damaged', '9,Ada,+12025550111,UTC,Mon,x,,\n'],
    ['with another number and the same id', '2,Ada,+12025550119,UTC,Mon,x,\n'],
  ])('are not called because of a row %s', async (_, refused) => {
    const rows = `${refused}2,Ada,+12025550111,UTC,Mon,no,\n`
    const { plan } = await findingsFor(`id,first_name,phone,tz,day,DNC,Code\n${rows}`)
    expect(plan).toMatchObject({ people: 0 })
  })

  test('are not called if another column is named besides', async () => {
    const content = list('Code,DNC', ['0","x', '1","no', '0","no'])
    const { plan } = await findingsFor(content, '--column', 'doNotCall=Code')
    expect(plan).toMatchObject({ people: 1, lists: [{ doNotCall: ['Code', 'DNC'] }] })
  })

  test('are called if the column is named to mean something else', async () => {
    const content = list('Consent,DNC', ['no","x', '","x'])
    const flags = ['--column', 'consent=', '--column', 'doNotCall=']
    expect((await findingsFor(content)).plan).toMatchObject({
      people: 0,
      lists: [{ consent: ['Consent'], doNotCall: ['DNC'] }],
    })
    expect((await findingsFor(content, ...flags)).plan).toMatchObject({
      people: 2,
      lists: [{ consent: [], doNotCall: [] }],
    })
    const file = batch.replace('name: first_name', 'name: first_name, consent: false, doNotCall: false')
    const cli = await project({ 'batches/contacts.csv': content, 'batches/reminders.yaml': file })
    expect((await planned(cli, 'reminders')).plan).toMatchObject({ people: 2 })
  })

  test('are told by variables, too', async () => {
    const cli = await project({
      'desk.yaml': 'name: Desk\nwelcomeMessage: "{{consent}} {{day}}"\n',
      'batches/contacts.csv': list('Consent', ['yes, web form']),
    })
    const { plan } = await planned(cli, 'reminders')
    expect(plan.example.body.assistantOverrides.dynamicVariables).toEqual({
      consent: 'yes, web form',
      day: 'Mon',
    })
  })

  test('are not called with --despite-opt-out', async () => {
    const cli = await testCli({ 'list.csv': 'phone,dnc\n+12025550110,x\n' })
    const argv = [
      'batch',
      'run',
      'list.csv',
      '--from',
      '+12025550100',
      '--yes',
      '--max-calls',
      '1',
      '--despite-opt-out',
    ]
    await cli.runWith({ clock }, ...argv)
    expect(cli.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('since a call of the batch are not called again, and the plan says so', async () => {
    const at = '2026-11-24T12:00:00.000Z'
    const ended = { seconds: 1, endedBy: null, reason: null, analysis: null, callbackAt: null }
    const call = (attempt: string, person: string, number: string) => [
      { step: 'calling', at, attempt, person, number, from: '+12025550100', kind: 'first' },
      { step: 'placed', at, attempt, call: `CC-${attempt}` },
      { step: 'ended', at, attempt, ...ended, outcome: attempt === 'b' ? 'answered' : 'no-answer' },
    ]
    const steps = [
      { step: 'begun', at, version: 1, service: 'https://api.example.com', file: 'batches/reminders.yaml' },
      ...call('a', '1', '+12025550110'),
      ...call('b', '2', '+12025550111'),
    ]
    const rows =
      '1,Ada,+12025550110,UTC,Mon,no\n2,Bo,+12025550111,UTC,Mon,no\n3,Cy,+12025550112,UTC,Mon,yes\n'
    const cli = await project({
      'batches/contacts.csv': `id,first_name,phone,tz,day,Consent\n${rows}`,
      '.callyard/batches/reminders/journal.ndjson': toJsonLines(steps),
    })
    const { plan } = await planned(cli, 'reminders')
    expect(plan).toMatchObject({ people: 3, called: 2 })
    expect(plan.findings).toMatchObject([
      {
        code: 'not-called-again',
        message: expect.stringContaining('batches/contacts.csv:2'),
        position: { line: 2 },
      },
    ])
  })
})

describe('template language of the service', () => {
  const texts = 'Hi {{#if vip}}dear {{/if}}{{first_name | upcase}}{{first_name}}, it is {{now}} on {{day}}.'
  const files = {
    'desk.yaml': `name: Desk\nwelcomeMessage: "${texts}"\n`,
    'callyard.yaml': 'serviceVariables: [now]\n',
  }

  test('is left to it with one warning', async () => {
    const { exitCode, plan } = await planned(await project(files), 'reminders')
    expect(exitCode).toBe(0)
    const { findings } = plan as { findings: { code: string; message: string }[] }
    const left = findings.filter(({ code }) => code !== 'unused-column')
    expect(left).toMatchObject([{ code: 'left-to-service', severity: 'warning' }])
    expect(left[0]?.message).toBe('{{#if vip}}, {{/if}}, {{first_name | upcase}} are left to the service')
    expect(plan.example.body.assistantOverrides.dynamicVariables).toEqual({
      first_name: 'Ada',
      day: 'Monday',
    })
  })

  test('variables that the project does not name are missing', async () => {
    const { exitCode, plan } = await planned(await project({ ...files, 'callyard.yaml': '' }), 'reminders')
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([
      { code: 'unset-variable', hint: expect.stringContaining('serviceVariables') },
    ])
  })

  test('columns that it uses are sent', async () => {
    const list = 'id,first_name,phone,tz,day,VIP\n1,Ada,+12025550110,UTC,Mon,yes\n'
    const { plan } = await planned(await project({ ...files, 'batches/contacts.csv': list }), 'reminders')
    const { dynamicVariables } = plan.example.body.assistantOverrides
    expect(dynamicVariables).toEqual({ first_name: 'Ada', day: 'Mon', vip: 'yes' })
  })

  test('a column sets a variable of the service all the same', async () => {
    const list =
      'id,first_name,phone,tz,day,now\n1,Ada,+12025550110,UTC,Mon,noon\n2,Bo,+12025550111,UTC,Mon,\n'
    const { exitCode, plan } = await planned(
      await project({ ...files, 'batches/contacts.csv': list }),
      'reminders',
    )
    expect(exitCode).toBe(0)
    expect(plan.example.body.assistantOverrides.dynamicVariables).toMatchObject({ now: 'noon' })
  })
})

test('shows how long people can be called before the end only if there is one', async () => {
  const heading = /time zone +people +opens, by its clock(.*)\n/
  const headingOf = async (file: string) => {
    const cli = await project({ 'batches/reminders.yaml': file })
    const { stdout } = await cli.runWith({ clock }, 'batch', 'plan', 'reminders')
    return heading.exec(stdout)?.[1]
  }
  expect(await headingOf(batch)).toBe('  open before the end')
  expect(await headingOf(batch.replace(/^until.*\n/m, ''))).toBe('')
})

describe('do-not-call lists', () => {
  test.each([
    ['a header', 'number,note\n+12025550110,asked\n'],
    ['no header', '+1 (202) 555-0110\n\n'],
    ['no header and two numbers in a line', '+12025550109,+12025550110\n'],
    ['another column', 'who;Phone Number\nAda;+12025550110\n'],
  ])('with %s keep a number from being called', async (_, content) => {
    const cli = await project({ 'do-not-call.csv': content })
    const { exitCode, plan } = await planned(cli, 'reminders')
    expect(exitCode).toBe(0)
    expect(plan).toMatchObject({ people: 2, skipped: { doNotCall: 1 } })
    expect(plan.findings.at(-1)).toMatchObject({
      ...{ code: 'on-do-not-call-list', severity: 'warning', position: { line: 2, column: 7 } },
      message: expect.stringContaining('+12025550110 is in do-not-call.csv'),
    })
  })

  test.each([
    ['a lost +', '12025550110', []],
    ['an extension', '+12025550110 x3', []],
    ['two endings', '+12025550119/0', []],
    ['a country code or none', '1 (202) 555-0110.0', ['--default-country', 'DE']],
  ])('with %s keep every number from being called that may be meant', async (_, entry, flags) => {
    const cli = await project({ 'do-not-call.csv': `number\n${entry}\n` })
    const { exitCode, plan } = await planned(cli, 'reminders', ...flags)
    expect(exitCode).toBe(0)
    expect(plan).toMatchObject({ people: 2, skipped: { doNotCall: 1 } })
    const warning = plan.findings.find(({ code }: { code: string }) => code === 'uncertain-do-not-call')
    expect(warning).toMatchObject({ severity: 'warning', file: 'do-not-call.csv', position: { line: 2 } })
    expect(warning.message).toContain('+12025550110')
  })

  test('with a date keep the number from being called that it may be', async () => {
    const list = 'id,first_name,phone,day\n1,Ada,+4928112026,Mon\n2,Bo,28112026,Mon\n'
    const cli = await project({ 'batches/contacts.csv': list, 'do-not-call.csv': 'number\n28112026\n' })
    const { exitCode, plan } = await planned(cli, 'reminders', '--default-country', 'DE')
    expect(exitCode).toBe(8)
    expect(plan).toMatchObject({ people: 0, skipped: { doNotCall: 1, invalid: 1 } })
    expect(codesOf(plan.findings)).toEqual(
      expect.arrayContaining(['uncertain-do-not-call', 'on-do-not-call-list', 'possible-date']),
    )
  })

  test('with a number that may be two are mentioned by a run', async () => {
    const cli = await testCli({ 'list.csv': 'phone\n+12025550110\n', 'do-not-call.csv': '12025550110\n' })
    const argv = ['batch', 'run', 'list.csv', '--from', '+12025550100', '--yes', '--max-calls', '1']
    const { stderr } = await cli.runWith({ clock }, ...argv)
    expect(stderr).toContain('1 entry of do-not-call lists may be several numbers')
    const blank = await project({ 'do-not-call.csv': 'number,note\n,asked\n' })
    expect((await planned(blank, 'reminders')).plan.counts).toEqual({ 'no-number-do-not-call': 1 })
    expect(cli.requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('that are empty JSON lists keep nobody from being called', async () => {
    const cli = await project({ 'none.json': '[]\n' })
    const { exitCode, plan } = await planned(cli, 'reminders', '--do-not-call', 'none.json')
    expect(exitCode).toBe(0)
    expect(plan).toMatchObject({ people: 3, skipped: { doNotCall: 0 } })
  })

  test.each([
    ['unreadable-do-not-call', 'number\n5550110\n'],
    [
      'no-number-column',
      'who,why\nAda,asked\n',
      'rename the column with the numbers to number; columns: who, why',
    ],
    ['no-number-column', 'Opted out\n\nNumber;Why\n+12025550110;asked\n', 'remove the lines above line 3'],
    [
      'no-number-column',
      'phone 2025550111\n2025550112\n',
      'write one number per line, such as +12025550123; the',
    ],
    ['no-number-column', 'Blocked people\n+12025550112\n', 'the first line may be the heading: number'],
    ['no-number-column', 'Ada;+12025550110\n', 'add a first line that names each column'],
    ['no-heading-do-not-call', 'number,\n+12025550110,+12025550111\n', 'name the column in the first line'],
  ])('with an error (%s) prevent the batch', async (code, content, hint = '') => {
    const { exitCode, plan } = await planned(await project({ 'do-not-call.csv': content }), 'reminders')
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([
      { code, file: 'do-not-call.csv', hint: expect.stringContaining(hint) },
    ])
  })

  test('that are missing, or a link to nowhere, prevent the batch', async () => {
    const cli = await project()
    const missing = await planned(cli, 'reminders', '--do-not-call', 'missing.csv')
    expect(missing).toMatchObject({
      exitCode: 3,
      plan: { error: { diagnostics: [{ code: 'missing-file' }] } },
    })
    await symlink(join(cli.folder, 'not-mounted', 'do-not-call.csv'), join(cli.folder, 'do-not-call.csv'))
    const linked = await planned(cli, 'reminders')
    expect(linked).toMatchObject({ exitCode: 3, plan: { error: { diagnostics: [{ code: 'unreadable' }] } } })
  })
})

test('warns about a list in another encoding, unless it is named', async () => {
  const list = encodeAs(contacts.replace('Ada', 'Łukasz'), 'windows-1250')
  const cli = await project({ 'batches/contacts.csv': list })
  const codesWith = async (...flags: string[]) =>
    codesOf((await planned(cli, 'reminders', ...flags)).plan.findings)
  expect(await codesWith()).toEqual(['guessed-encoding', 'unused-column'])
  expect((await planned(cli, 'reminders')).plan.findings[0].hint).toContain('pass --encoding')
  for (const label of ['windows-1250', 'cp1250', 'X-CP1250'])
    expect(await codesWith('--encoding', label)).toEqual(['unused-column'])
  expect(await planned(cli, 'reminders', '--encoding', 'windows-125')).toMatchObject({ exitCode: 2 })
})

describe('a batch cannot be planned', () => {
  test.each([
    [
      'customer_number,name\n1,Ada\n',
      'two-readings',
      'say which: --column to=customer_number, or columns: { to: customer_number } in a batch file; or --column id=',
    ],
    [
      'phone,contact_id,customer_id\n1,2,3\n',
      'several-columns',
      'name one: --column id=contact_id, or columns: { id: contact_id } in a batch file',
    ],
    [
      'Phone #,Tel.\n11,22\n',
      'several-number-columns',
      `--column 'to=Phone #' --column to=Tel., or columns: { to: ["Phone #", "Tel."] } in a batch file`,
    ],
    ['+12025550110;Ada\n+12025550111;Bo\n', 'no-number-column', 'add a first line that names each column'],
    ['Mobile;+12025550110\n+12025550111;Bo\n', 'no-number-column', 'add a first line that names each column'],
    ['{"name": "Ada"}\n', 'no-number-column', 'columns: {"name": "Ada"}'],
    ['tel:+12025550110\ntel:+12025550111\n', 'no-number-column', 'add a first line that names each column'],
    ['Phone,,\nid,phone,name\n1,+12025550110,Ada\n', 'no-number-column', 'remove the lines above line 2'],
    ['Customers\n\nTelefon;Name\n+12025550110;Ada\n', 'no-number-column', 'remove the lines above line 3'],
  ])('because of the columns of %j: %s', async (content, code, hint) => {
    const cli = await testCli({ 'list.csv': content })
    const { exitCode, plan } = await planned(cli, 'list.csv', '--from', '+12025550100')
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([{ code, hint: expect.stringContaining(hint) }])
  })

  test.each([
    ['no-such-column', ['--column', 'id=nr'], 'column "nr" for id not found'],
    ['end-has-passed', ['--until', '2026-11-24T12:00Z'], 'which has passed'],
    ['not-a-time', ['--until', '2026-02-30T12:00Z'], 'not a time of an existing day'],
    ['unknown-country', ['--default-country', 'xx'], 'defaultCountry is XX, which is not a country code'],
    ['invalid-sender', ['--from', '2025550100'], 'not a phone number'],
  ])('because of %s', async (code, flags, message) => {
    const { exitCode, plan } = await planned(await project(), 'reminders', ...flags)
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([{ code, message: expect.stringContaining(message) }])
  })

  test.each([[], ['--column', 'to=phone']])(
    'because the list is an empty JSON list (%j)',
    async (...flags) => {
      const cli = await project({ 'none.json': '[]\n' })
      const { exitCode, plan } = await planned(cli, 'none.json', '--from', '+12025550100', ...flags)
      expect(exitCode).toBe(3)
      expect(plan.error.diagnostics).toMatchObject([{ code: 'no-rows', file: 'none.json' }])
    },
  )

  test.each([
    ['Customers,,\nphone,first_name,day\n+12025550110,Ada,Monday\n', 'remove the lines above line 2'],
    ['Customers\n\nphone;first_name;day\n+12025550110;Ada;Monday\n', 'remove the lines above line 3'],
    ['+12025550110,Ada,Monday\n', 'add a first line that names each column'],
  ])('because it has no header, which is its only error: %j', async (content, hint) => {
    for (const flags of [[], ['--column', 'to=phone']]) {
      const cli = await project({ 'batches/contacts.csv': content })
      const { plan } = await planned(cli, 'reminders', ...flags)
      expect(plan.error.diagnostics).toMatchObject([
        { code: 'no-number-column', hint: expect.stringContaining(hint) },
      ])
    }
  })

  test('because a variable has no column', async () => {
    const cli = await project({ 'batches/contacts.csv': 'phone,first_name\n+12025550110,Ada\n' })
    const { exitCode, plan } = await planned(cli, 'reminders')
    expect(exitCode).toBe(3)
    expect(plan.error.diagnostics).toMatchObject([{ code: 'unset-variable' }])
    const filled = await planned(cli, 'reminders', '--var', 'day=Monday')
    expect(filled.plan).toMatchObject({
      people: 1,
      example: { body: { assistantOverrides: expect.anything() } },
    })
  })

  test('because its list is outside of the project, or no text', async () => {
    const cli = await project({ 'other/list.csv': contacts })
    await symlink('/etc/hostname', join(cli.folder, 'batches', 'link.csv'))
    for (const file of ['../../list.csv', 'link.csv', '/etc/hostname']) {
      const outside = await project({ 'batches/reminders.yaml': batch.replace('contacts.csv', file) })
      await symlink('/etc/hostname', join(outside.folder, 'batches', 'link.csv'))
      expect((await planned(outside, 'reminders')).plan.error.diagnostics).toMatchObject([
        { code: 'outside-file' },
      ])
    }
    const sheet = await project({ 'list.xlsx': 'PK\u0003\u0004' })
    const workbook = await planned(sheet, 'list.xlsx', '--from', '+12025550100')
    expect(workbook).toMatchObject({ exitCode: 3 })
    expect(workbook.plan.error.diagnostics).toMatchObject([
      { code: 'workbook', hint: expect.stringContaining('save the sheet as CSV') },
    ])
  })

  test.each([
    [['nobody'], 'batch "nobody" not found'],
    [['reminder'], 'did you mean reminders?'],
    [
      ['batches/contacts.csv'],
      'from is missing\nhint: pass the number that the calls come from: --from +12025550100',
    ],
    [['reminders', '--hours', '9-17'], 'window.hours is "9-17"; allowed: times such as 09:00-20:00'],
    [['reminders', '--rate', 'fast'], 'rate is "fast"; allowed: a rate such as 20/min'],
    [
      ['reminders', '--column', 'phone'],
      'Write <use>=<column>, such as to=mobile, with one of the uses to, name',
    ],
    [['reminders', '--column', 'phone=Phone'], 'Did you mean to=Phone? Write <use>=<column>'],
    [['reminders', '--column', 'consnt=Ok'], 'Did you mean consent=Ok?'],
  ])('with %j: %s', async (argv, message) => {
    const { exitCode, stderr } = await (await project()).run('batch', 'plan', ...argv)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })

  test('whose file is not valid', async () => {
    const cli = await project({
      'batches/reminders.yaml': 'list: contacts.csv\nwindow: { hours: all }\nrtry: 1\n',
    })
    for (const argv of [
      ['validate', '.'],
      ['batch', 'plan', 'reminders'],
    ]) {
      const { exitCode, stdout, stderr } = await cli.run(...argv)
      expect(exitCode).toBe(3)
      expect(stdout + stderr).toContain('batches/reminders.yaml:2:18: error: window.hours is "all"')
      expect(stdout + stderr).toContain('did you mean retry?')
    }
  })
})

test.each([
  ['https://api.example.com', ['no-window', 'fewer-calls-than-people']],
  // A sandbox, where no phone rings.
  ['http://127.0.0.1:4010', ['fewer-calls-than-people']],
])('at %s warns of %j', async (baseUrl, codes) => {
  const cli = await testCli({ 'list.csv': 'phone\n+12025550110\n+12025550111\n' })
  const flags = ['--from', '+12025550100', '--max-calls', '1', '--base-url', baseUrl]
  const { exitCode, plan } = await planned(cli, 'list.csv', ...flags)
  expect(exitCode).toBe(0)
  expect(plan.findings.map(({ code }: { code: string }) => code)).toEqual(codes)
  expect(plan.calls).toEqual({ first: 1, most: 1 })
})

test.each([
  ['check: ./missing.sh', 'check-not-found'],
  ['check: no-such-program --flag', 'check-not-found'],
  ['check: ./contacts.csv', 'check-not-executable'],
  ['check: ./eligible.sh ${env:REGION:-all}', 'check-with-variable'],
])('%s is reported with its position, before anything else', async (check, code) => {
  const cli = await project({
    'batches/reminders.yaml': `list: contacts.csv\nfrom: "+12025550100"\n${check}\n`,
  })
  const { exitCode, plan } = await planned(cli, 'reminders')
  expect(exitCode).toBe(3)
  const { diagnostics } = plan.error
  expect(diagnostics).toMatchObject([
    { code, file: 'batches/reminders.yaml', position: { line: 3, column: 8 } },
  ])
  const run = await cli.run('batch', 'run', 'reminders', '--yes', '--max-calls', '9', '--json')
  expect(run.exitCode).toBe(3)
  expect(JSON.parse(run.stdout).error.diagnostics).toEqual(diagnostics)
  expect(cli.requests).toEqual([])
})

test('a program of check on PATH or beside the batch is not reported', async () => {
  for (const check of ['node check.js', './eligible.sh --strict']) {
    const cli = await project({
      'batches/reminders.yaml': `${batch}check: ${check}\n`,
      'batches/eligible.sh': '#!/bin/sh\n',
    })
    await chmod(join(cli.folder, 'batches/eligible.sh'), 0o755)
    const env = { PATH: dirname(process.execPath) }
    expect((await cli.runWith({ clock, env }, 'batch', 'plan', 'reminders')).exitCode).not.toBe(3)
  }
})

test('validate checks a batch, and ignores the lists beside it', async () => {
  const { exitCode, stdout } = await (await project()).run('validate', '.')
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '2 files checked, no errors, no warnings\n' })
})
