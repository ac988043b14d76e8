import { expect, test } from 'vitest'
import { testCli } from '../../helpers/test-cli.ts'

const project = {
  'callyard.yaml': '',
  'assistants/front-desk.yaml': [
    'name: Front desk',
    'welcomeMessage: Hello',
    'assistantPredefinedTools: { knowledgeBase: true, endCall: true }',
    'assistantKnowledgeBaseIds: ["${kb:workshop}"]',
    'endCallPhrases: [goodbye, that is all]',
    '',
  ].join('\n'),
  'knowledge-bases/workshop.yaml': [
    'knowledgeBaseId: workshop',
    'faq:',
    '  - { question: When are you open?, answer: Monday to Friday from nine to six. }',
    '  - { question: Where is the workshop?, answer: At 12 Canal Street. }',
    '',
  ].join('\n'),
  'tests/hours.test.yaml': [
    'assistant: front-desk',
    'turns:',
    '  - user: When are you open?',
    '    expect: { says: nine to six }',
    '  - user: Goodbye',
    '    expect: { ends: assistant }',
    '',
  ].join('\n'),
}

test('--coverage lists what no test went through, with its line', async () => {
  const cli = await testCli(project)
  const { exitCode, stdout } = await cli.run('test', '--coverage')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('Coverage: 60 % (3 of 5)')
  expect(stdout).toContain('assistants/front-desk.yaml:5:27 end phrase never said: that is all')
  expect(stdout).toContain('knowledge-bases/workshop.yaml:4:17 entry never the answer: Where is the')
})

test('--min-coverage fails below it, and passes at it', async () => {
  const cli = await testCli(project)
  const below = await cli.run('test', '--min-coverage', '61')
  expect(below).toMatchObject({ exitCode: 8 })
  expect(below.stderr).toContain('60 % of the project is covered, less than --min-coverage 61')
  expect(await cli.run('test', '--min-coverage', '60')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('test', '--min-coverage', '101')).toMatchObject({ exitCode: 2 })
})

test('a test that fails does not hide that too little is covered', async () => {
  const cli = await testCli({
    ...project,
    'tests/wrong.test.yaml':
      'assistant: front-desk\nturns:\n  - user: Hello\n    expect: { says: no such thing }\n',
  })
  const { exitCode, stderr } = await cli.run('test', '--min-coverage', '99')
  expect(exitCode).toBe(8)
  expect(stderr).toContain('1 of 2 tests failed; 60 % of the project is covered, less than --min-coverage 99')
})

test('--json has the coverage, and is the same twice but for the times of the run', async () => {
  const cli = await testCli(project)
  const document = async () => {
    const { machine, ...rest } = JSON.parse((await cli.run('test', '--coverage', '--json')).stdout)
    expect(machine).toBeDefined()
    return rest
  }
  const first = await document()
  expect(first.coverage).toMatchObject({ covered: 3, total: 5 })
  expect(await document()).toEqual(first)
})

test('--report writes one page that has verdict, transcript and coverage, also of a run that fails', async () => {
  const cli = await testCli({
    ...project,
    'tests/wrong.test.yaml':
      'assistant: front-desk\nturns:\n  - user: Where is the workshop?\n    expect: { exactly: At 13 Canal Street. }\n',
  })
  const { exitCode } = await cli.run('test', '--report', 'out.html')
  expect(exitCode).toBe(8)
  const page = await cli.read('out.html')
  expect(page).toContain('1 failed, 1 passed')
  expect(page).toContain('tests/wrong.test.yaml:4:24')
  expect(page).toMatch(/At <del>13<\/del><ins>12<\/ins> Canal Street/)
  expect(page).toContain('Coverage: <span class="whole">80 %</span>')
})

test('--watch goes with none of them', async () => {
  const cli = await testCli(project)
  for (const flags of [['--coverage'], ['--report', 'out.html'], ['--min-coverage', '1']]) {
    const { exitCode, stderr } = await cli.run('test', '--watch', ...flags)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`--watch and ${flags[0]} cannot be used together`)
  }
})
