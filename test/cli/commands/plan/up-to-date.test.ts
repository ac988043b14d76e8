import { rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyCase, runs } from '../../../helpers/every-case.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { appliedProject, everythingIn, type TestProject, tool } from '../project/test-project.ts'

const cache = '.callyard/up-to-date.json'
const files = {
  'callyard.yaml': 'vocabulary: { "<provider_1>": acme }\n',
  'prompts/desk.md': 'You are the front desk.\n',
  'tools/book.yaml': tool('book'),
  'tools/cancel.yaml': tool('cancel', 'server: { url: "${env:HOOK:-https://hooks.example.com/}" }\n'),
  'knowledge-bases/faq.yaml':
    'knowledgeBaseId: kb1\nfaq:\n- {id: e1, question: When?, answer: "At ${env:HOUR}"}\n',
  'assistants/desk.yaml':
    'name: Desk\nassistantSystemPrompt: ${file:../prompts/desk.md}\nassistantToolIds: ["${tool:book}", "${tool:cancel}"]\nassistantPredefinedTools: { knowledgeBase: true }\nassistantKnowledgeBaseIds: ["${kb:faq}"]\n',
} as const

const applied = () => appliedProject(files, { HOUR: 'nine' })

interface Edit {
  readonly name: string
  make(project: TestProject): Promise<unknown>
  undo(project: TestProject): Promise<unknown>
  readonly flags?: readonly string[]
}

const restore = (file: keyof typeof files) => (project: TestProject) => project.write(file, files[file])
const writing = (file: keyof typeof files, text: string): Edit => ({
  name: `${file}: ${JSON.stringify(text)}`,
  make: project => project.write(file, text),
  undo: restore(file),
})
const setting = (name: string, value: string | undefined, before: string | undefined): Edit => ({
  name: `${name}=${value}`,
  async make({ env }) {
    env[name] = value
  },
  async undo({ env }) {
    env[name] = before
  },
})
const adding = (file: string, text: string): Edit => ({
  name: `a new file ${file}`,
  make: project => project.write(file, text),
  undo: project => project.remove(file),
})
const linkingOut = (file: keyof typeof files): Edit => ({
  name: `a link out of the project at ${file}`,
  async make(project) {
    const outside = join(await temporaryFolder({ file: files[file] }), 'file')
    await project.remove(file)
    await symlink(outside, join(project.folder, file))
  },
  async undo(project) {
    await project.remove(file)
    await project.write(file, files[file])
  },
})

const edits: readonly Edit[] = [
  writing('tools/book.yaml', tool('book', 'async: true\n')),
  writing('tools/book.yaml', `${files['tools/book.yaml']}# a comment\n`),
  writing('tools/book.yaml', 'type: function\nfuncton: {}\n'),
  writing('prompts/desk.md', 'You are the back office.\n'),
  writing('callyard.yaml', 'vocabulary: { "<provider_1>": other }\n'),
  writing('callyard.yaml', 'vocabulary: { "<provider_1>": acme }\nassistants: replace\n'),
  writing('knowledge-bases/faq.yaml', files['knowledge-bases/faq.yaml'].replace('When', 'Where')),
  writing('assistants/desk.yaml', files['assistants/desk.yaml'].replace('"${tool:cancel}"', '')),
  setting('HOUR', 'ten', 'nine'),
  setting('HOUR', undefined, 'nine'),
  setting('HOUR', '', 'nine'),
  setting('HOOK', 'https://hooks.example.com/', undefined),
  setting('HOOK', 'https://hooks.example.test/', undefined),
  setting('CALLYARD_PROFILE', 'nobody', undefined),
  adding('tools/more.yaml', tool('more')),
  adding('tools/book.json', '{"type":"function"}'),
  adding('tools/assistants/deep.yaml', tool('deep')),
  adding('.callyard/lockfile.ndjson', 'nonsense\n'),
  { name: 'another target', make: async () => {}, undo: async () => {}, flags: ['--target', 'other'] },
  { name: 'unknown keys', make: async () => {}, undo: async () => {}, flags: ['--allow-unknown'] },
  {
    name: 'a file that is gone',
    make: project => project.remove('tools/cancel.yaml'),
    undo: restore('tools/cancel.yaml'),
  },
  {
    name: 'another name',
    make: ({ folder }) => rename(join(folder, 'tools/book.yaml'), join(folder, 'tools/buch.yaml')),
    undo: ({ folder }) => rename(join(folder, 'tools/buch.yaml'), join(folder, 'tools/book.yaml')),
  },
  {
    name: 'bytes that are no text',
    make: ({ folder }) => writeFile(join(folder, 'tools/book.yaml'), Buffer.of(0xff, 0xfe, 0x41)),
    undo: restore('tools/book.yaml'),
  },
  linkingOut('prompts/desk.md'),
  linkingOut('tools/book.yaml'),
  {
    name: 'times alone',
    make: ({ folder }) => utimes(join(folder, 'tools/book.yaml'), 1, 1),
    undo: async () => {},
  },
  {
    name: 'the lockfile',
    async make(project) {
      const text = await project.read('callyard.lock.yaml')
      await project.write('callyard.lock.yaml', text.replace('name: book', 'name: bok'))
    },
    async undo(project) {
      const text = await project.read('callyard.lock.yaml')
      await project.write('callyard.lock.yaml', text.replace('name: bok', 'name: book'))
    },
  },
]

/** Plans twice with what is remembered, and once without; all three are the same. */
async function expectSamePlans(project: TestProject, flags: readonly string[] = []): Promise<void> {
  const plan = async () => {
    const { exitCode, stdout, stderr } = await project.run('plan', '--json', ...flags)
    return { exitCode, stdout, stderr }
  }
  const found = [await plan(), await plan()]
  if (await project.exists(cache)) await project.remove(cache)
  const fresh = await plan()
  expect(found).toEqual([fresh, fresh])
}

test.each(edits.map(edit => [edit.name, edit] as const))(
  '%s: a plan with what is remembered equals one without',
  async (_, edit) => {
    const project = await applied()
    await project.run('plan')
    expect(await project.exists(cache)).toBe(true)
    await edit.make(project)
    await expectSamePlans(project, edit.flags)
    if (!everyCase) return
    await edit.undo(project)
    await expectSamePlans(project)
  },
)

test('any edits, one after the other: a plan with what is remembered equals one without', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...edits), { minLength: 2, maxLength: 4 }), async some => {
      const project = await applied()
      const ofOneThing = new Set<string>()
      for (const edit of some) {
        const subject = edit.name.split(/[:=]/)[0] ?? ''
        if (ofOneThing.has(subject)) continue
        ofOneThing.add(subject)
        await edit.make(project).catch(() => {})
        await expectSamePlans(project, edit.flags)
      }
    }),
    { numRuns: runs(2) },
  )
})

test('a remembered result avoids reading files and contains no secret', async () => {
  const project = await applied()
  const first = await project.run('plan', '--json')
  const remembered = await project.read(cache)
  for (const secret of ['nine', 'front desk']) expect(remembered).not.toContain(secret)
  const before = await everythingIn(project.folder)
  const second = await project.run('plan', '--json')
  expect(second.stdout).toBe(first.stdout)
  expect(await everythingIn(project.folder)).toEqual(before)
  // It is what the second plan printed: no file says this.
  await project.write(cache, remembered.replace('hooks.example.com', 'remembered.example.com'))
  expect((await project.run('plan', '--json')).stdout).toContain('remembered.example.com')
})

test('a remembered result prints the warnings of its files', async () => {
  const project = await appliedProject({ ...files, 'tools/spare.yaml': tool('spare') }, { HOUR: 'nine' })
  const first = await project.run('plan')
  expect(first.stderr).toContain('tools/spare.yaml: warning: no file refers to tool/spare')
  expect(await project.run('plan')).toMatchObject({ exitCode: 0, stdout: first.stdout, stderr: first.stderr })
  const remembered = await project.read(cache)
  await project.write(cache, remembered.replace('no file refers to', 'nobody needs'))
  expect((await project.run('plan')).stderr).toContain('tools/spare.yaml: warning: nobody needs tool/spare')
})

test('writes nothing if callyard has no folder of its own', async () => {
  const project = await applied()
  await project.remove('.callyard')
  expect(await project.run('plan')).toMatchObject({ exitCode: 0 })
  expect(await project.exists('.callyard')).toBe(false)
})

test('does not trust what came with a project’s files, as from a repository', async () => {
  const project = await applied()
  await project.run('plan')
  const remembered = await project.read(cache)
  await project.remove('.callyard')
  await project.write(cache, remembered.replace('hooks.example.com', 'remembered.example.com'))
  const { stdout } = await project.run('plan', '--json')
  expect(stdout).toContain('hooks.example.com')
  expect(stdout).not.toContain('remembered.example.com')
})

test('a missing profile is an error, as without the remembered one', async () => {
  const project = await applied()
  const { baseUrl } = project.service
  const added = await project.runWith(
    { input: 'key-of-the-profile\n' },
    ...['profile', 'add', 'default', '--base-url', baseUrl, '--api-key-stdin'],
  )
  expect(added).toMatchObject({ exitCode: 0 })
  project.env.CALLYARD_PROFILE = 'default'
  expect(await project.run('plan')).toMatchObject({ exitCode: 0 })
  expect(await project.run('profile', 'remove', 'default', '--yes')).toMatchObject({ exitCode: 0 })
  const found = await project.run('plan', '--json')
  await project.remove(cache)
  const fresh = await project.run('plan', '--json')
  expect([found.exitCode, found.stdout]).toEqual([fresh.exitCode, fresh.stdout])
})
