import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testCli } from '../../../helpers/test-cli.ts'

const good = 'name: Front desk\n'
const bad = 'name: Front desk\nidleTimeout: 3\n'

test('prints to stdout and exits with 0 for a folder without findings', async () => {
  const cli = await testCli({ 'assistants/a.yaml': good, 'tools/deep/t.json': '{"type":"function"}' })
  const result = await cli.run('validate', '.')
  expect(result).toEqual({ exitCode: 0, stdout: '2 files checked, no errors, no warnings\n', stderr: '' })
  expect(cli.requests).toEqual([])
})

test('findings like a compiler, of all files, exit 3', async () => {
  const cli = await testCli({ 'assistants/a.yaml': bad, 'tools/t.yaml': 'typ: function\n' })
  const result = await cli.run('validate', 'assistants', 'tools')
  expect(result.exitCode).toBe(3)
  expect(result.stdout.split('\n')).toEqual([
    'assistants/a.yaml:2:14: error: idleTimeout is 3; allowed: a whole number from 5 to 600 [out-of-range]',
    '    2 | idleTimeout: 3',
    '      |              ^',
    '',
    'tools/t.yaml:1:1: error: type is missing [missing]',
    '    1 | typ: function',
    '      | ^',
    '    hint: add type: function',
    '',
    'tools/t.yaml:1:1: error: typ is not a known field [unknown-key]',
    '    hint: did you mean type?',
    '',
    '2 files checked, 3 errors, no warnings',
    '',
  ])
  expect(result.stderr).toContain('3 errors found')
})

test('each finding in a long line has a caret under its own column', async () => {
  const entries = Array.from({ length: 9 }, (_, index) => `{"question": "Q${index}", "answer": "A"}, `).join(
    '',
  )
  const cli = await testCli({
    'knowledge-bases/a.json': `{"faq": [{"question": 1, "answer": "A"}, ${entries}{"question": "Q", "answer": 2}]}`,
  })
  const lines = (await cli.run('validate', 'knowledge-bases')).stdout.split('\n')
  const marked = lines.flatMap((line, index) => {
    const source = lines[index - 1] ?? ''
    return [...line.matchAll(/\^/g)].map(caret => source.slice(caret.index, caret.index + 14).trim())
  })
  expect(marked).toEqual(['1, "answer": "', '2}]}'])
})

test('--json prints one document', async () => {
  const cli = await testCli({
    'assistants/a.yaml': `${bad}ttsAudioCacheScope: global\n`,
    'notes.yaml': 'x: 1\n',
  })
  const result = await cli.run('validate', '.', '--json')
  expect(result.exitCode).toBe(3)
  expect(JSON.parse(result.stdout)).toEqual({
    files: 1,
    errors: 1,
    warnings: 1,
    skipped: ['notes.yaml'],
    access: { variables: [], files: [], outsideFiles: [], commands: [], hosts: [] },
    withoutEffect: [],
    diagnostics: [
      {
        code: 'out-of-range',
        severity: 'error',
        file: 'assistants/a.yaml',
        path: ['idleTimeout'],
        at: 'value',
        position: { line: 2, column: 14 },
        message: 'idleTimeout is 3; allowed: a whole number from 5 to 600',
      },
      expect.objectContaining({ code: 'deprecated', severity: 'warning', position: { line: 3, column: 21 } }),
    ],
  })
})

test('warnings are not failures', async () => {
  const cli = await testCli({ 'assistants/a.yaml': `${good}ttsAudioCacheScope: global\n` })
  const result = await cli.run('validate', 'assistants/a.yaml')
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('warning: ttsAudioCacheScope'),
  })
})

test('patterns that no shell expanded; each file once', async () => {
  const cli = await testCli({
    'a/assistants/x.yaml': good,
    'b/assistants/y.yml': good,
    'b/tools/t.yaml': 'type: function\n',
  })
  const result = await cli.run('validate', '**/assistants/*.{yaml,yml}', 'a', 'a/assistants/x.yaml')
  expect(result).toMatchObject({ exitCode: 0, stdout: '2 files checked, no errors, no warnings\n' })
})

test('takes the kind from the nearest folder; callyard.yaml marks a project', async () => {
  const cli = await testCli({
    'tools/assistants/a.yaml': good,
    'assistants/knowledge-bases/k.csv': 'question,answer\na,b\n',
    'overrides/o.json': '{"welcomeMessage":"hi"}',
    'callyard.yaml': 'profile: x\n',
  })
  const named = ['tools', 'assistants', 'overrides', 'callyard.yaml']
  expect(await cli.run('validate', ...named)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^4 files/),
  })
})

test('a file of an unknown kind needs --kind', async () => {
  const cli = await testCli({ 'body.yaml': 'type: function\n' })
  const result = await cli.run('validate', 'body.yaml')
  expect(result.exitCode).toBe(3)
  expect(result.stdout).toContain('body.yaml: error: unknown kind of file [unknown-kind]')
  expect(result.stdout).toContain('pass --kind <kind> (')
  expect(await cli.run('validate', 'body.yaml', '--kind', 'tool')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('validate', '.', '--kind', 'tool')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('validate', 'body.yaml', '--kind', 'tol')).toMatchObject({ exitCode: 2, stdout: '' })
})

test('a missing input never exits with 0', async () => {
  const cli = await testCli({ 'notes/n.yaml': 'x: 1\n', 'assistants/front.yaml': good })
  for (const [path, code] of [
    ['assistants/frnt.yaml', 'missing-file'],
    ['nothing/*.yaml', 'no-files'],
    ['notes', 'no-files'],
  ] as const) {
    const result = await cli.run('validate', path)
    expect(result).toMatchObject({ exitCode: 3, stdout: expect.stringContaining(`[${code}]`) })
  }
  expect(await cli.run('validate')).toMatchObject({ exitCode: 2, stdout: '' })
})

test('--allow-unknown accepts unknown fields', async () => {
  const cli = await testCli({ 'tools/t.yaml': 'type: function\nbrandNew: 1\n' })
  expect(await cli.run('validate', 'tools')).toMatchObject({ exitCode: 3 })
  expect(await cli.run('validate', 'tools', '--allow-unknown')).toMatchObject({ exitCode: 0 })
})

test('requires neither key nor base URL, and uses the project’s vocabulary', async () => {
  const cli = await testCli(
    {
      'callyard.yaml': 'vocabulary:\n  <provider_1>: acme\n',
      'assistants/a.yaml': `${good}assistantProvider: acme\n`,
    },
    { env: { CALLYARD_API_KEY: undefined, CALLYARD_BASE_URL: undefined } },
  )
  expect(await cli.run('validate', '.')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a hostile file cannot paint the terminal or forge a finding', async () => {
  const cli = await testCli({ 'assistants/a.yaml': `${good}"\\e[31mx\\nfoo.yaml:1:1: error: y": 1\n` })
  const { stdout } = await cli.run('validate', '.')
  expect(stdout).not.toContain('\x1b')
  expect(stdout.split('\n')).toHaveLength(7)
})

test('a thousand files', async () => {
  const files = Array.from({ length: 1000 }, (_, index) => [`assistants/a${index}.yaml`, good] as const)
  const cli = await testCli(Object.fromEntries(files))
  expect(await cli.run('validate', '.')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^1000 files/),
  })
})

test('under GitHub Actions findings are annotated too, on stderr', async () => {
  const cli = await testCli({ 'assistants/a.yaml': bad }, { env: { GITHUB_ACTIONS: 'true' } })
  const result = await cli.run('validate', '.', '--json')
  expect(result.stderr).toContain(
    '::error file=assistants/a.yaml,line=2,col=14,title=callyard validate%3A out-of-range::',
  )
  expect(JSON.parse(result.stdout)).toMatchObject({ errors: 1 })
})

test('a schema of another version is a warning; layout, and schemas of others, are not', async () => {
  const cli = await testCli()
  await cli.run('init', 'desk')
  const edit = async (file: string, change: (text: string) => string) =>
    writeFile(join(cli.folder, file), change(await cli.read(file)))
  await edit('desk/schemas/tool.schema.json', text => JSON.stringify(JSON.parse(text)))
  await edit('desk/schemas/test.schema.json', () => '{ "$id": "https://example.com/test" }')
  await edit('desk/schemas/overrides.schema.json', text => text.replace('"title"', '"deprecated"'))
  const result = await cli.run('validate', 'desk', '--json')
  expect(result.exitCode).toBe(0)
  expect(JSON.parse(result.stdout).diagnostics).toEqual([
    expect.objectContaining({
      code: 'stale-schema',
      severity: 'warning',
      file: 'desk/schemas/overrides.schema.json',
      hint: 'run callyard schema --write',
    }),
  ])
})

test('--skip-unknown checks the files of projects, and no others', async () => {
  const cli = await testCli({
    'tools/deploy.yaml': 'run: make\n',
    'package.json': '{}',
    'desk/callyard.yaml': '',
    'desk/package.json': '{}',
    'desk/tools/t.yaml': 'type: function\n',
    'desk/tests/rows.csv': 'question\nWhen?\n',
  })
  const files = ['tools/deploy.yaml', 'package.json', 'desk/package.json', 'desk/tests/rows.csv']
  expect(await cli.run('validate', '--skip-unknown', ...files)).toEqual({
    exitCode: 0,
    stdout: 'no files checked, no errors, no warnings\n',
    stderr: '',
  })
  const some = await cli.run('validate', '--skip-unknown', ...files, 'desk/tools/t.yaml', 'desk/gone.yaml')
  expect(some).toMatchObject({ exitCode: 3, stdout: expect.stringContaining('2 files checked, 1 error') })
  expect(some.stdout).toContain('desk/gone.yaml')
  await writeFile(join(cli.folder, 'desk/tools/t.yaml'), 'typ: function\n')
  expect(await cli.run('validate', '--skip-unknown', 'desk/tools/t.yaml')).toMatchObject({ exitCode: 3 })
  expect(await cli.run('validate', '--skip-unknown', 'desk/tests')).toMatchObject({ exitCode: 0, stderr: '' })
})
