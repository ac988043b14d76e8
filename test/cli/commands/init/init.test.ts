import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { testCli } from '../../../helpers/test-cli.ts'

const all = [
  'callyard.yaml',
  'assistants/front-desk.yaml',
  'tools/book-appointment.yaml',
  'knowledge-bases/workshop.yaml',
  'tests/opening-hours.test.yaml',
  'tests/booking.test.yaml',
  'tests/questions.test.yaml',
  'tests/questions.csv',
  'schemas/assistant.schema.json',
  'schemas/tool.schema.json',
  'schemas/knowledge-base.schema.json',
  'schemas/overrides.schema.json',
  'schemas/test.schema.json',
  'schemas/batch.schema.json',
  'schemas/guard.schema.json',
  'schemas/project.schema.json',
  '.vscode/settings.json',
  '.gitignore',
  'package.json',
  'ci/github-actions.yaml',
  'ci/gitlab-ci.yml',
  'AGENTS.md',
  'CLAUDE.md',
  '.agents/skills/callyard/SKILL.md',
]
/** A link to a folder. */
const skillLink = '.claude/skills/callyard'
const written = [...all, skillLink]

/** Every file below a folder, path → content. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const texts = await Promise.all(
    files.map(async file => [file.slice(folder.length + 1), await readFile(file, 'utf8')] as const),
  )
  return Object.fromEntries(texts)
}

test('writes the project into a new folder, and prints what to try next', async () => {
  const cli = await testCli()
  const { exitCode, stdout, stderr } = await cli.run('init', 'deep/desk')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(Object.keys(await contents(join(cli.folder, 'deep/desk'))).sort()).toEqual([...all].sort())
  expect(stdout).toBe(
    [
      `Wrote ${written.length} files to deep/desk:`,
      ...written.map(file => `  ${file}`),
      '',
      'Try next:',
      '  cd deep/desk',
      '  check the files, offline                   callyard validate .',
      '  run the conversation tests, offline        callyard test',
      '  chat with it as the caller                 callyard call chat',
      '  run the service here, in another terminal  callyard sandbox start',
      '  deploy the project to it                   callyard apply',
      '',
    ].join('\n'),
  )
  expect(cli.requests).toEqual([])
})

test('without a folder, uses the working folder without parents', async () => {
  const cli = await testCli()
  const { stdout } = await cli.run('init')
  expect(stdout).toContain(`Wrote ${written.length} files to this folder:`)
  expect(stdout).not.toContain('  cd ')
  expect(Object.keys(await contents(cli.folder))).toHaveLength(all.length)
})

test('quotes a folder name that a shell would split', async () => {
  const cli = await testCli()
  expect((await cli.run('init', "Ada's desk")).stdout).toContain("  cd 'Ada'\\''s desk'\n")
  expect((await cli.run('init', '--', '-desk')).stdout).toContain('  cd ./-desk\n')
})

test('--json prints the folder, what was written and what was kept', async () => {
  const cli = await testCli({ 'desk/callyard.yaml': 'profile: mine\n' })
  const first = await cli.run('init', 'desk', '--json')
  expect(JSON.parse(first.stdout)).toEqual({
    folder: join(cli.folder, 'desk'),
    written: written.slice(1),
    kept: ['callyard.yaml'],
  })
})

test('a second run keeps every byte, also of edited files, and leaves nothing else behind', async () => {
  const cli = await testCli()
  await cli.run('init')
  await writeFile(join(cli.folder, 'assistants/front-desk.yaml'), 'name: Mine\r\n')
  await writeFile(join(cli.folder, 'schemas/tool.schema.json'), '')
  const before = await contents(cli.folder)
  const { exitCode, stdout } = await cli.run('init')
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`Nothing to write: all ${written.length} files are in this folder already\n`)
  expect(await contents(cli.folder)).toEqual(before)
  expect(JSON.parse((await cli.run('init', '--json')).stdout)).toMatchObject({ written: [], kept: written })
  const part = await testCli({ 'tools/book-appointment.yaml': 'mine', '.gitignore': '' })
  expect((await part.run('init')).stdout).toContain(
    'Kept 2 files that were there:\n  tools/book-appointment.yaml\n  .gitignore\n',
  )
})

test('two runs at once write each file once, whole', async () => {
  const cli = await testCli()
  const runs = await Promise.all(Array.from({ length: 8 }, () => cli.run('init', 'desk', '--json')))
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 0))
  const ofRuns = runs.flatMap(({ stdout }) => JSON.parse(stdout).written)
  expect(ofRuns.sort()).toEqual([...written].sort())
  const alone = await testCli()
  await alone.run('init', 'desk')
  expect(await contents(cli.folder)).toEqual(await contents(alone.folder))
})

test('the project passes validate, with no note about what lies beside the resources', async () => {
  const cli = await testCli()
  await cli.run('init')
  expect(await cli.run('validate', '.')).toEqual({
    exitCode: 0,
    stdout: `7 files checked, no errors, no warnings
The files use
  environment    WEBHOOK_URL
  hosts          127.0.0.1:4011, workshop.example.com
`,
    stderr: '',
  })
})

test('every commented setting of callyard.yaml passes when it is made active', async () => {
  const cli = await testCli()
  await cli.run('init')
  const settings = await cli.read('callyard.yaml')
  const active = settings.replace(/^# ( *(?:\w+|<\w+>):(?: .*)?)$/gm, (line, setting) =>
    setting.startsWith('yaml-') ? line : setting,
  )
  expect(Object.keys(parse(active))).toEqual(['profile', 'baseUrl', 'vocabulary', 'assistants', 'endpoints'])
  await writeFile(join(cli.folder, 'callyard.yaml'), active)
  expect(await cli.run('validate', 'callyard.yaml')).toMatchObject({ exitCode: 0 })
})

test('the schemas are those that callyard schema prints, and every modeline leads to its own', async () => {
  const cli = await testCli({ 'callyard.yaml': 'vocabulary:\n  <provider_1>: acme\n' })
  await cli.run('init', 'desk')
  const schemas = await readdir(join(cli.folder, 'desk/schemas'))
  expect(schemas.sort()).toEqual(
    ['assistant', 'batch', 'guard', 'knowledge-base', 'overrides', 'project', 'test', 'tool'].map(
      k => `${k}.schema.json`,
    ),
  )
  for (const name of schemas) {
    const { stdout } = await cli.run('schema', name.replace('.schema.json', ''))
    expect(await cli.read(`desk/schemas/${name}`)).toBe(stdout)
  }
  expect(await cli.read('desk/schemas/assistant.schema.json')).toContain('"acme"')

  const kinds = ['project', 'assistant', 'tool', 'knowledge-base', 'test', 'test', 'test']
  for (const [index, file] of all.slice(0, kinds.length).entries()) {
    const [first = ''] = (await cli.read(`desk/${file}`)).split('\n')
    const schema = /^# yaml-language-server: \$schema=(\.\.?\/\S+)$/.exec(first)?.[1] ?? ''
    expect(join(dirname(file), schema)).toBe(`schemas/${kinds[index]}.schema.json`)
  }
})

test('.gitignore keeps the lockfile, and all that init writes, in the repository', {
  tags: 'git',
}, async () => {
  const cli = await testCli()
  await cli.run('init')
  const options = {
    cwd: cli.folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cli.folder },
  } as const
  execFileSync('git', ['init', '--quiet'], options)
  const ignored = (paths: readonly string[]) =>
    spawnSync('git', ['check-ignore', '--no-index', ...paths], options)
      .stdout.split('\n')
      .filter(Boolean)
  const wanted = ['callyard.lock.yaml', '.env.example', 'package-lock.json', 'callyard-0.1.0.tgz']
  const tests = ['caller.txt', 'tests/booking.txt', 'tests/booking.ndjson', 'tests/recordings/call.ndjson']
  expect(ignored([...wanted, ...tests, ...all])).toEqual([])
  const unwanted = [
    '.callyard/x',
    'knowledge-bases/.callyard/workshop.yaml.lock.yaml',
    'tools/.book-appointment.yaml.callyard-tmp',
    'plan.json',
    'callyard.xml',
    'callyard-plan.xml',
    'callyard.sarif',
    '.env',
    '.env.local',
    'calls.ndjson',
    'calls.2.ndjson',
    'calls.ndjson.lock',
    'calls.ndjson.lock.0b54.alive/x',
    'call.ndjson',
    'recordings/monday.json',
    'transcripts/call.txt',
    'chat.txt',
    'chat-1.json',
    'transcript.json',
    'node_modules/callyard/package.json',
  ]
  expect(ignored(unwanted)).toEqual(unwanted)
  expect(await cli.read('.gitignore')).toContain('# Commit callyard.lock.yaml.')
})

test('the CI example is a workflow: plans pull requests, applies main one at a time, commits the ids in any case', async () => {
  const cli = await testCli()
  await cli.run('init')
  const { on, jobs } = parse(await cli.read('ci/github-actions.yaml'))
  expect(on).toEqual({ pull_request: null, push: { branches: ['main'] } })
  const { plan, apply } = jobs
  const commands = (job: { steps: { run?: string }[] }) =>
    job.steps.flatMap(({ run = '' }) => run.match(/^callyard .*$/gm) ?? [])
  expect(commands(plan)).toEqual([
    'callyard validate . --out "$RUNNER_TEMP/callyard.sarif"',
    'callyard test',
    'callyard plan --target production',
  ])
  const upload = plan.steps.find(({ uses = '' }: { uses?: string }) => uses.includes('upload-sarif'))
  expect(upload).toMatchObject({
    if: expect.stringContaining('!cancelled()'),
    with: { sarif_file: '${{ runner.temp }}/callyard.sarif' },
  })
  expect(plan.permissions).toEqual({ contents: 'read', 'security-events': 'write' })
  expect(commands(apply)).toEqual([
    'callyard apply --yes --target production --out callyard.xml',
    // Writes what a killed apply did into the lockfile, before that is committed.
    'callyard plan --target production || true',
  ])
  expect(apply).toMatchObject({
    if: "github.event_name == 'push'",
    concurrency: { group: expect.any(String), 'cancel-in-progress': false },
    permissions: { contents: 'write' },
  })
  // What waited must see the ids that the run before it committed.
  expect(apply.steps[0]).toEqual({
    uses: expect.stringMatching(/^actions\/checkout@/),
    with: { ref: 'main' },
  })
  expect(apply.steps.at(-1)).toMatchObject({
    if: 'always()',
    run: expect.stringMatching(/callyard\.lock\.yaml knowledge-bases/),
  })
})

test('the GitLab example does the same: findings and plan of a merge request as JUnit, one apply at a time', async () => {
  const cli = await testCli()
  await cli.run('init')
  const { plan, apply, ...rest } = parse(await cli.read('ci/gitlab-ci.yml'))
  expect(plan.rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }])
  expect(plan.script).toEqual([
    'callyard validate . --out callyard.xml',
    'callyard test --out callyard-test.xml',
    'callyard plan --target production --out callyard-plan.xml',
  ])
  expect(apply).toMatchObject({
    rules: [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }],
    resource_group: 'callyard-production',
    interruptible: false,
  })
  expect(apply.script[0]).toContain('callyard apply --yes --target production --out callyard.xml')
  for (const job of [plan, apply]) {
    expect(job.artifacts).toEqual({ when: 'always', reports: { junit: '**/callyard*.xml' } })
    expect(job.before_script.at(-1)).toEqual(rest['.install'])
  }
  const lines: string[] = [plan, apply].flatMap(job => [job.before_script, job.script].flat(3))
  expect(lines.filter(line => /\b(npm|npx|yarn|pnpm|curl|wget)\b/.test(line))).toEqual(
    Array(2).fill('npm ci --ignore-scripts && export PATH="$PWD/node_modules/.bin:$PATH"'),
  )
})

test('reports what is in the way, and writes no file', async () => {
  const cli = await testCli({
    file: 'x',
    'desk/assistants': 'x',
    'home/.claude': 'x',
    'home2/.agents/skills': 'x',
  })
  await symlink('nowhere', join(cli.folder, 'link'))
  for (const [dir, place, what] of [
    ['file', 'file', 'is a file'],
    ['file/below/deep', 'file', 'is a file'],
    ['desk', 'desk/assistants', 'is a file'],
    ['home', 'home/.claude', 'is a file'],
    ['home2', 'home2/.agents/skills', 'is a file'],
    ['link/desk', 'link', 'is a link that leads to no folder'],
  ] as const) {
    const before = await contents(cli.folder)
    const result = await cli.run('init', dir)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(`${join(cli.folder, place)} ${what}`)
    expect(result.stderr).toContain('callyard init <dir>')
    expect(await contents(cli.folder)).toEqual(before)
  }
})

test('a folder with the name of a file is an error that lists what was written', async () => {
  const cli = await testCli()
  await mkdir(join(cli.folder, 'tools/book-appointment.yaml'), { recursive: true })
  const { exitCode, stdout, stderr } = await cli.run('init', '--json')
  expect(exitCode).toBe(2)
  expect(stderr).toContain(
    `${join(cli.folder, 'tools/book-appointment.yaml')}: a folder with that name exists`,
  )
  expect(JSON.parse(stdout).error).toMatchObject({
    kind: 'usage',
    written: ['callyard.yaml', 'assistants/front-desk.yaml'],
    kept: [],
  })
})

test('treats a link as an existing file, even a broken one, and writes into linked folders', async () => {
  const cli = await testCli({ 'shared/x': '' })
  await symlink('nowhere', join(cli.folder, 'callyard.yaml'))
  await symlink('shared', join(cli.folder, 'tools'))
  const { stdout } = await cli.run('init', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ kept: ['callyard.yaml'] })
  await expect(stat(join(cli.folder, 'nowhere'))).rejects.toThrow('ENOENT')
  expect(await cli.read('shared/book-appointment.yaml')).toContain('type: function')
})

test.each(['tools', '.agents'])(
  'writes nothing through %s where it is a link out of the folder',
  async name => {
    const cli = await testCli({ 'elsewhere/x': '', 'desk/y': '' })
    await symlink('../elsewhere', join(cli.folder, 'desk', name))
    const { exitCode, stdout, stderr } = await cli.run('init', 'desk')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('outside of the folder')
    expect(await readdir(join(cli.folder, 'elsewhere'))).toEqual(['x'])
    await symlink('desk', join(cli.folder, 'linked'))
    await rm(join(cli.folder, 'desk', name))
    expect(await cli.run('init', 'linked')).toMatchObject({ exitCode: 0 })
  },
)

// Nothing is forbidden to root.
test.skipIf(process.getuid?.() === 0)('read-only folder', async () => {
  const cli = await testCli({ 'desk/x': '' })
  await chmod(join(cli.folder, 'desk'), 0o500)
  const result = await cli.run('init', 'desk')
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain('permission denied')
  await chmod(join(cli.folder, 'desk'), 0o700)
  expect(Object.keys(await contents(cli.folder))).toEqual(['desk/x'])
})

test('invalid and missing file names', async () => {
  const cli = await testCli()
  const long = await cli.run('init', 'x'.repeat(300))
  expect(long).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('name too long') })
  expect(await cli.run('init', '')).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await contents(cli.folder)).toEqual({})
})

test('Ctrl-C cancels it and prints the progress', async () => {
  const cli = await testCli()
  // A process has two seconds to end by itself; here they never pass.
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) }
  const result = await cli.runWith({ signal: AbortSignal.abort('SIGINT'), clock }, 'init', 'desk')
  expect(result).toMatchObject({ exitCode: 130, stdout: '' })
  expect(result.stderr).toContain(`Cancelled; 0 of ${written.length} files were written`)
  expect(await readdir(cli.folder)).toEqual([])
})

test('the pipeline installs only what package-lock.json lists, and the starter has no dependencies', async () => {
  const cli = await testCli()
  await cli.run('init')
  const { jobs } = parse(await cli.read('ci/github-actions.yaml'))
  for (const job of [jobs.plan, jobs.apply]) {
    const runs: string[] = job.steps.flatMap(({ run = '' }) => run.split('\n'))
    const installs = runs.filter(line => /\b(npm|npx|yarn|pnpm|curl|wget)\b/.test(line))
    expect(installs).toEqual(['npm ci --ignore-scripts && echo "$PWD/node_modules/.bin" >> "$GITHUB_PATH"'])
  }
  const { private: isPrivate, ...rest } = JSON.parse(await cli.read('package.json'))
  expect(isPrivate).toBe(true)
  expect(Object.keys(rest)).toEqual(['scripts'])
})
