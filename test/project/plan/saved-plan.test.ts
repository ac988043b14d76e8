import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Project as ProjectSettings } from '../../../src/files/formats/project.ts'
import type { Vocabulary } from '../../../src/interface/vocabulary.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import type { Section } from '../../../src/project/lockfile/index.ts'
import { assertFresh, parseSavedPlan, toSavedPlan } from '../../../src/project/plan/index.ts'
import { errorOf } from '../../helpers/errors.ts'
import { writeFiles } from '../../helpers/folders.ts'
import { appliedSection, planOf } from '../apply/applied.ts'
import { folderOf, projectIn } from '../apply/project-on-disk.ts'

const files = {
  'tools/book.yaml': 'type: function\nserver: {url: "https://a.example.com", key: "${env:TOKEN}"}\n',
  'knowledge-bases/faq.yaml':
    'knowledgeBaseId: k\nfaq:\n- {id: e1, question: "${env:QUESTION}", answer: A}\n',
  'assistants/desk.yaml':
    'name: Desk\nassistantSystemPrompt: ${file:desk.md}\nassistantToolIds: ["${tool:book}"]\n',
  'assistants/desk.md': 'Be short.\n',
}
const env = { TOKEN: 'secret-token', QUESTION: 'secret-question' }
const otherSecrets = { env: { TOKEN: 'secret-2', QUESTION: 'secret-3' } }

interface Changed {
  readonly env?: Record<string, string>
  readonly vocabulary?: Vocabulary
  readonly settings?: ProjectSettings
  readonly target?: string
  readonly baseUrl?: string
}

/** Files of the folder with its lockfile, from which a plan is made. */
async function basisOf(folder: string, section: Section, { target, baseUrl, ...options }: Changed = {}) {
  const project = await projectIn(folder, { env, ...options })
  const plan = planOf(project, section)
  return {
    plan: { ...plan, target: target ?? plan.target, baseUrl: baseUrl ?? plan.baseUrl },
    project,
    lockfile: { targets: { [target ?? 'test']: section } },
  }
}

/** The files after an apply, and what their plan, which was saved, is made from. */
async function applied(changed?: Changed) {
  const folder = await folderOf(files)
  const section = appliedSection(await projectIn(folder, { env }))
  const basis = await basisOf(folder, section, changed)
  return { folder, section, basis, plan: await toSavedPlan(basis) }
}

/** Result of apply for a saved plan after these changes. */
async function objection({
  files: written = {},
  edit = section => section,
  ...changed
}: Changed & {
  readonly files?: Record<string, string>
  edit?(section: Section): Section
}): Promise<unknown> {
  const { folder, section } = await applied()
  await writeFiles(folder, { 'tools/book.yaml': `${files['tools/book.yaml']}async: true\n` })
  const text = JSON.stringify(await toSavedPlan(await basisOf(folder, section)))
  await writeFiles(folder, written)
  const basis = await basisOf(folder, edit(section), changed)
  try {
    await assertFresh(await parseSavedPlan(text, 'plan.json'), basis, 'plan.json')
    return undefined
  } catch (error) {
    if (!(error instanceof CallyardError)) throw error
    expect(error).toMatchObject({ kind: 'conflict', code: 'plan-outdated' })
    expect(error.details.file).toBe('plan.json')
    return error.details.changed
  }
}

test('a plan has a hash of each file and its includes by project path', async () => {
  const folder = await folderOf({
    'assistants/a.yaml': 'name: A\nassistantSystemPrompt: ${file:p.md}${file:q.md}\n',
    'assistants/p.md': 'same',
    'assistants/q.md': 'same',
  })
  const { inputs } = await toSavedPlan(await basisOf(folder, appliedSection(await projectIn(folder))))
  expect(Object.keys(inputs)).toEqual([
    'callyard.yaml',
    'the vocabulary',
    join('assistants', 'a.yaml'),
    `${join('assistants', 'a.yaml')} → p.md`,
    `${join('assistants', 'a.yaml')} → q.md`,
  ])
  const [, , , one, other] = Object.values(inputs)
  expect(one).toBe(other)
})

test.each([
  ['what is still so', {}],
  ['variables that nothing refers to', { env: { ...env, OTHER: '1' } }],
])('a plan is carried out after %s', async (_, changed) => {
  expect(await objection(changed)).toBeUndefined()
})

test.each([
  ['callyard.yaml changed', { settings: { assistants: 'replace' as const } }],
  ['the vocabulary changed', { vocabulary: { '<provider_1>': 'acme' } }],
  ['it is for target test, and this is live', { target: 'live' }],
])('%s, whether it leads to another plan or not', async (expected, changed) => {
  expect(await objection(changed)).toContain(expected)
})

test.each<[string, Parameters<typeof objection>[0], string[]]>([
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

test('several changes are reported together', async () => {
  const changed = { files: { 'assistants/desk.md': 'x' }, env: { ...env, QUESTION: 'x' } }
  expect(await objection(changed)).toEqual([
    `${join('assistants', 'desk.yaml')} → desk.md changed`,
    'QUESTION changed',
  ])
})

describe('a plan that was saved', () => {
  test('in another folder is still the same', async () => {
    const { plan, basis } = await applied()
    const actions = basis.plan.actions.map(action => ({ ...action, file: `elsewhere/${action.file}` }))
    await expect(assertFresh({ ...plan, actions }, basis, 'plan.json')).resolves.toBeUndefined()
  })

  test('without its actions has other settings, or belongs to another callyard', async () => {
    const { plan, basis } = await applied()
    await expect(assertFresh({ ...plan, actions: [] }, basis, 'plan.json')).rejects.toMatchObject({
      details: { target: 'test', file: 'plan.json', changed: [expect.stringContaining('settings')] },
    })
  })

  test('is stale if it would do something else to the same resources', async () => {
    const { plan, basis } = await applied()
    const actions = basis.plan.actions.map(action => ({ ...action, action: 'create' as const }))
    await expect(assertFresh({ ...plan, actions }, basis, 'plan.json')).rejects.toMatchObject({
      code: 'plan-outdated',
    })
  })

  test('lists twenty of the changed or missing files in order, and all of them in its details', async () => {
    const { plan, basis } = await applied()
    const inputs = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`x${40 - at}.yaml`, 'hash']))
    const changed = Object.keys(inputs)
      .sort()
      .map(name => `${name} is gone`)
    const error = await errorOf(
      assertFresh({ ...plan, inputs: { ...inputs, ...plan.inputs } }, basis, 'plan.json'),
    )
    expect(error).toMatchObject({ details: { changed } })
    expect(String(error).split('\n')).toHaveLength(21)
  })
})

describe('a saved plan', () => {
  test('holds no secret, although what is planned depends on them', async () => {
    const { plan } = await applied(otherSecrets)
    expect(JSON.stringify(plan)).not.toContain('secret-')
    expect(Object.keys(plan.environment).sort()).toEqual(['QUESTION', 'TOKEN'])
    expect(plan.actions).toMatchObject([
      { address: 'tool/book', changes: [{ notes: ['the value of ${env:TOKEN} changed'] }] },
      { address: 'kb/faq', entries: [{ action: 'update', question: '${env:QUESTION}' }] },
      { address: 'assistant/desk', action: 'unchanged' },
    ])
  })

  test('has its own salt, so no two plans share the hash of a secret', async () => {
    const [{ plan: one }, { plan: other }] = [await applied(), await applied()]
    expect(one.salt).not.toBe(other.salt)
    expect(one.environment.TOKEN).not.toBe(other.environment.TOKEN)
  })

  test('is read as written', async () => {
    const { plan } = await applied(otherSecrets)
    expect(await parseSavedPlan(JSON.stringify(plan), 'plan.json')).toEqual(plan)
  })

  test.each([undefined, false, true])('says whether updates are sent again: %s', async resend => {
    const { basis } = await applied()
    const { resend: saved } = await toSavedPlan({ ...basis, resend })
    expect(saved).toBe(resend === true ? true : undefined)
  })

  test('for no service says so with an empty base URL', async () => {
    const { basis } = await applied()
    const plan = { ...basis.plan, baseUrl: undefined }
    await expect(toSavedPlan({ ...basis, plan, lockfile: { targets: {} } })).resolves.toMatchObject({
      baseUrl: '',
      lock: 'none',
    })
  })

  test.each([
    ['', '1:1', 'not JSON: unexpected end of file'],
    ['{\n  "kind": x }', '2:11', 'not JSON: expected a value'],
    ['[]', '1:1', ''],
    ['null', '1:1', ''],
    ['{\n"kind":"callyard-plan","version":2}', '2:34', 'version is 2; allowed: 1'],
    ['{"kind":"other","version":1}', '1:9', 'kind is "other"; allowed: callyard-plan'],
    ['{"kind":"callyard-plan","version":1}', '1:1', 'target is missing'],
  ])('%s is none: its first error has a position', async (text, location, reason) => {
    const [line, column] = location.split(':').map(Number)
    await expect(parseSavedPlan(text, 'plan.json')).rejects.toMatchObject({
      kind: 'invalid',
      code: 'no-saved-plan',
      message: expect.stringContaining(`plan.json:${location} is not a saved plan: ${reason}`),
      details: { file: 'plan.json', line, column },
    })
  })
})
