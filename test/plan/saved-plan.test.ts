import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Project as ProjectSettings } from '../../src/interface/project.ts'
import type { Vocabulary } from '../../src/interface/vocabulary.ts'
import { CallyardError } from '../../src/lib/error.ts'
import type { Section } from '../../src/lockfile/lockfile.ts'
import { withMessage } from '../../src/messages/with-words.ts'
import { assertFresh, parseSavedPlan, toSavedPlan } from '../../src/plan/saved-plan.ts'
import { writeFiles } from '../helpers/folders.ts'
import { appliedSection, planOf } from '../project/applied.ts'
import { folderOf, projectIn } from '../project/project-on-disk.ts'

const files = {
  'tools/book.yaml': 'type: function\nserver: {url: "https://a.example.com", key: "${env:TOKEN}"}\n',
  'knowledge-bases/faq.yaml':
    'knowledgeBaseId: k\nfaq:\n- {id: e1, question: "${env:QUESTION}", answer: A}\n',
  'assistants/desk.yaml':
    'name: Desk\nassistantSystemPrompt: ${file:desk.md}\nassistantToolIds: ["${tool:book}"]\n',
  'assistants/desk.md': 'Be short.\n',
}
const env = { TOKEN: 'secret-token', QUESTION: 'secret-question' }

interface Changed {
  readonly files?: Record<string, string>
  readonly env?: Record<string, string>
  readonly settings?: ProjectSettings
  readonly target?: string
  readonly baseUrl?: string
  edit?(section: Section): Section
}

/** A plan that was saved, and what apply says of it after these changes. */
async function objection(changed: Changed): Promise<unknown> {
  const folder = await folderOf(files)
  const section = appliedSection(await projectIn(folder, { env }))
  await writeFiles(folder, { 'tools/book.yaml': `${files['tools/book.yaml']}async: true\n` })
  const basisOf = async ({ target, baseUrl, settings, edit, ...rest }: Changed) => {
    const now = edit?.(section) ?? section
    const options = { env: rest.env ?? env, ...(settings === undefined ? {} : { settings }) }
    const project = await projectIn(folder, options)
    const plan = planOf(project, now)
    return {
      plan: { ...plan, target: target ?? plan.target, baseUrl: baseUrl ?? plan.baseUrl },
      project,
      lockfile: { targets: { [target ?? 'test']: now } },
    }
  }
  const text = JSON.stringify(await toSavedPlan(await basisOf({})))
  await writeFiles(folder, changed.files ?? {})
  const basis = await basisOf(changed)
  try {
    await assertFresh(parseSavedPlan(text, 'plan.json'), basis, 'plan.json')
    return undefined
  } catch (error) {
    if (!(error instanceof CallyardError)) throw error
    expect(error).toMatchObject({ kind: 'conflict', exitCode: 9, code: 'plan-outdated' })
    expect(error.details.file).toBe('plan.json')
    return error.details.changed
  }
}

test('a plan of what is still so is carried out', async () => {
  expect(await objection({})).toBeUndefined()
})

test('settings are an input, whether they lead to another plan or not', async () => {
  expect(await objection({ settings: { assistants: 'replace' } })).toContain('callyard.yaml changed')
})

test('ignores variables that nothing refers to', async () => {
  expect(await objection({ env: { ...env, OTHER: '1' } })).toBeUndefined()
})

test.each<[string, Changed, string[]]>([
  [
    'a file',
    { files: { 'assistants/desk.yaml': `${files['assistants/desk.yaml']}# a comment\n` } },
    [`${join('assistants', 'desk.yaml')} changed`],
  ],
  [
    'an included file',
    { files: { 'assistants/desk.md': 'Be long.\n' } },
    [`${join('assistants', 'desk.yaml')} → desk.md changed`],
  ],
  [
    'a new file',
    { files: { 'assistants/new.yaml': 'name: N\n' } },
    [`${join('assistants', 'new.yaml')} is new`],
  ],
  ['the environment', { env: { ...env, TOKEN: 'other' } }, ['TOKEN changed']],
  ['the lockfile', { edit: section => ({ ...section, teamId: 'team' }) }, ['callyard.lock.yaml changed']],
  [
    'the base URL',
    { baseUrl: 'https://other.example.com/' },
    ['it is for https://calls.example.com/, and this is https://other.example.com/'],
  ],
])('%s that changed is reported', async (_, changed, expected) => {
  expect(await objection(changed)).toEqual(expected)
})

test('another target is reported', async () => {
  expect(await objection({ target: 'live' })).toContainEqual('it is for target test, and this is live')
})

test('several changes are reported together', async () => {
  const changed = { files: { 'assistants/desk.md': 'x' }, env: { ...env, QUESTION: 'x' } }
  expect(await objection(changed)).toEqual([
    `${join('assistants', 'desk.yaml')} → desk.md changed`,
    'QUESTION changed',
  ])
})

describe('a plan that was saved', () => {
  async function saved(rest: Record<string, string> = {}) {
    const folder = await folderOf({ ...files, ...rest })
    const project = await projectIn(folder, { env })
    const section = appliedSection(project)
    const basis = { plan: planOf(project, section), project, lockfile: { targets: { test: section } } }
    return { plan: await toSavedPlan(basis), basis, section }
  }

  test('in another folder is still the same', async () => {
    const { plan, basis } = await saved()
    const actions = basis.plan.actions.map(action => ({ ...action, file: `elsewhere/${action.file}` }))
    await expect(assertFresh({ ...plan, actions }, basis, 'plan.json')).resolves.toBeUndefined()
  })

  test.each([[[]], [[null]], [['x']]])(
    'with the actions %j has other settings, or belongs to another callyard',
    async actions => {
      const { plan, basis } = await saved()
      await expect(assertFresh({ ...plan, actions }, basis, 'plan.json')).rejects.toThrow(
        expect.objectContaining({
          details: { file: 'plan.json', changed: [expect.stringContaining('settings')] },
        }),
      )
    },
  )

  test('is stale if it would do something else to the same resources', async () => {
    const { plan, basis } = await saved()
    const actions = basis.plan.actions.map(action => ({ ...action, action: 'create' }))
    await expect(assertFresh({ ...plan, actions }, basis, 'plan.json')).rejects.toThrow('plan-outdated')
  })

  test('lists twenty of the changed or missing files in order, and all of them in its details', async () => {
    const { plan, basis } = await saved()
    const inputs = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${40 - at}.yaml`, 'hash']))
    const error = await thrownBy(() =>
      assertFresh({ ...plan, inputs: { ...inputs, ...plan.inputs } }, basis, 'plan.json'),
    )
    expect((await withMessage(error)).message.split('\n')).toHaveLength(21)
    expect(error.details.changed).toEqual(
      Object.keys(inputs)
        .sort()
        .map(name => `${name} is gone`),
    )
  })
})

async function thrownBy(run: () => Promise<void>): Promise<CallyardError> {
  try {
    await run()
  } catch (error) {
    if (error instanceof CallyardError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('accepts the deployment’s vocabulary from any source', async () => {
  const folder = await folderOf(files)
  const section = appliedSection(await projectIn(folder, { env }))
  await writeFiles(folder, { 'assistants/desk.md': 'Be long.\n' })
  const basisOf = async (vocabulary: Vocabulary) => {
    const project = await projectIn(folder, { env, vocabulary })
    return { plan: planOf(project, section), project, lockfile: { targets: { test: section } } }
  }
  const saved = await toSavedPlan(await basisOf({}))
  const now = await basisOf({ '<provider_1>': 'acme' })
  await expect(assertFresh(saved, now, 'plan.json')).rejects.toThrow(
    expect.objectContaining({
      details: expect.objectContaining({ changed: expect.arrayContaining(['the vocabulary changed']) }),
    }),
  )
})

describe('a saved plan', () => {
  async function saved() {
    const folder = await folderOf(files)
    const section = appliedSection(await projectIn(folder, { env }))
    const project = await projectIn(folder, { env: { TOKEN: 'secret-2', QUESTION: 'secret-3' } })
    return toSavedPlan({ plan: planOf(project, section), project, lockfile: { targets: { test: section } } })
  }

  test('holds no secret, although what is planned depends on them', async () => {
    const plan = await saved()
    expect(JSON.stringify(plan)).not.toContain('secret-')
    expect(Object.keys(plan.environment).sort()).toEqual(['QUESTION', 'TOKEN'])
    expect(plan.actions).toMatchObject([
      { address: 'tool/book', changes: [{ notes: [{ code: 'other-value', references: ['${env:TOKEN}'] }] }] },
      { address: 'kb/faq', entries: [{ action: 'update', question: '${env:QUESTION}' }] },
      { address: 'assistant/desk', action: 'unchanged' },
    ])
  })

  test('has its own salt, so no two plans share the hash of a secret', async () => {
    const [one, other] = [await saved(), await saved()]
    expect(one.salt).not.toBe(other.salt)
    expect(one.environment.TOKEN).not.toBe(other.environment.TOKEN)
  })

  test('is read as written', async () => {
    const plan = await saved()
    expect(parseSavedPlan(JSON.stringify(plan), 'plan.json')).toEqual(plan)
  })

  test('for no service says so with an empty base URL', async () => {
    const folder = await folderOf(files)
    const project = await projectIn(folder, { env })
    const section = appliedSection(project)
    const plan = { ...planOf(project, section), baseUrl: undefined }
    await expect(toSavedPlan({ plan, project, lockfile: { targets: {} } })).resolves.toMatchObject({
      baseUrl: '',
      lock: 'none',
    })
  })

  test.each(['', '{', '[]', 'null', '{"kind":"callyard-plan","version":2}', '{"kind":"other","version":1}'])(
    '%s is none',
    text => {
      expect(() => parseSavedPlan(text, 'plan.json')).toThrow(
        expect.objectContaining({
          kind: 'usage',
          code: 'no-saved-plan',
          details: { file: 'plan.json' },
        }),
      )
    },
  )
})
