import { expect, test } from 'vitest'
import { writeFiles } from '../../../helpers/folders.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const project = {
  'callyard.yaml': '',
  'assistants/front-desk.yaml': [
    'name: Front desk',
    'welcomeMessage: Hello',
    'assistantSystemPrompt: Asdf jkl.',
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
  expect(stdout).toContain('Coverage: 50 % (3 of 6)')
  expect(stdout).toContain('assistants/front-desk.yaml:6:27 end phrase never said: that is all')
  expect(stdout).toContain('assistants/front-desk.yaml:3:24 prompt not tested: replies come from rules')
  expect(stdout).toContain('knowledge-bases/workshop.yaml:4:17 entry never the answer: Where is the')
  const json = await cli.run('test', '--coverage', '--json')
  expect(JSON.parse(json.stdout).coverage).toMatchObject({ covered: 3, total: 6 })
})

test('--min-coverage fails below it, also if a test fails, and passes at it', async () => {
  const cli = await testCli(project)
  const below = await cli.run('test', '--min-coverage', '51')
  expect(below).toMatchObject({ exitCode: 8 })
  const shortfall = (percent: number) => `50 % of the project is covered, less than --min-coverage ${percent}`
  expect(below.stderr).toContain(`error: ${shortfall(51)}`)
  expect(await cli.run('test', '--min-coverage', '50')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('test', '--min-coverage', '101')).toMatchObject({ exitCode: 2 })
  const wrong = 'assistant: front-desk\nturns:\n  - user: Hello\n    expect: { says: no such thing }\n'
  await writeFiles(cli.folder, { 'tests/wrong.test.yaml': wrong })
  const { exitCode, stderr } = await cli.run('test', '--min-coverage', '99')
  expect(exitCode).toBe(8)
  expect(stderr).toContain(`1 of 2 tests failed; ${shortfall(99)}`)
})

test('--out writes one page that has verdict, transcript and coverage, also of a run that fails', async () => {
  const cli = await testCli({
    ...project,
    'tests/wrong.test.yaml':
      'assistant: front-desk\nturns:\n  - user: Where is the workshop?\n    expect: { exactly: At 13 Canal Street. }\n',
  })
  const { exitCode } = await cli.run('test', '--out', 'out.html')
  expect(exitCode).toBe(8)
  const page = await cli.read('out.html')
  expect(page).toContain('1 failed, 1 passed')
  expect(page).toContain('tests/wrong.test.yaml:4:24')
  expect(page).toMatch(/At <del>13<\/del><ins>12<\/ins> Canal Street/)
  expect(page).toContain('Coverage: <span class="whole">66 %</span>')
})

test('--watch goes with none of them', async () => {
  const cli = await testCli(project)
  for (const flags of [['--coverage'], ['--out', 'out.html'], ['--min-coverage', '1']]) {
    const { exitCode, stderr } = await cli.run('test', '--watch', ...flags)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`--watch and ${flags[0]} cannot be used together`)
  }
})
