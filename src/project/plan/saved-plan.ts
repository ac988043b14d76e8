import { relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { formatLocation, loadJsonParser, projectFileName } from '../../files/source/index.ts'
import { createLineIndex } from '../../files/text/index.ts'
import { check } from '../../interface/check.ts'
import type { Finding } from '../../interface/finding.ts'
import { CallyardError } from '../../lib/error.ts'
import { hashContent } from '../../lib/hash.ts'
import { type Immutable, parseJson } from '../../lib/json.ts'
import { secretHash } from '../../lib/secret-hash.ts'
import { type Lockfile, loadLockText, lockfileName, newSalt } from '../lockfile/index.ts'
import type { LoadedProject } from '../resources/index.ts'
import { type ActionDocument, type PlanDocument, planSchema } from './plan-schema.ts'

const savedPlanSchema = z.object({
  kind: z.literal('callyard-plan'),
  version: z.literal(1),
  ...planSchema.shape,
  baseUrl: z.string(),
  /** Salt of the hashes of environment values, which reveal no secrets and differ between plans. */
  salt: z.string(),
  /** File → hash of its text. */
  inputs: z.record(z.string(), z.string()),
  /** Environment variable → hash of its value. */
  environment: z.record(z.string(), z.string()),
  /** Hash of the target's section of the lockfile. */
  lock: z.string(),
  /** With --resend. */
  resend: z.optional(z.boolean()),
})

/** A plan as `plan --json` prints it, with hashes of all its inputs. */
export type SavedPlan = Immutable<z.infer<typeof savedPlanSchema>>

interface Basis {
  readonly plan: PlanDocument
  readonly project: LoadedProject
  readonly lockfile: Lockfile
  readonly resend?: boolean | undefined
}

export async function toSavedPlan(basis: Basis, salt = newSalt()): Promise<SavedPlan> {
  const { plan, project, lockfile, resend } = basis
  const hash = secretHash(salt)
  const variables = project.resources.flatMap(({ checked }) => [...checked.references.variables])
  const section = Object.hasOwn(lockfile.targets, plan.target) ? lockfile.targets[plan.target] : undefined
  const lockText = await loadLockText()
  return {
    // First, so that `plan --out` recognizes the file and replaces it.
    kind: 'callyard-plan',
    version: 1,
    ...plan,
    baseUrl: plan.baseUrl ?? '',
    salt,
    inputs: Object.fromEntries(inputHashes(project)),
    environment: Object.fromEntries(variables.map(([name, value]) => [name, hash(value)])),
    lock: section === undefined ? 'none' : hashContent(lockText({ targets: { [plan.target]: section } })),
    ...(resend === true && { resend }),
  }
}

const saveAgain = 'create and save a new plan'

/** @throws CallyardError `invalid` at the position of what makes the text no saved plan */
export async function parseSavedPlan(text: string, file: string): Promise<SavedPlan> {
  const value = parseJson(text)
  const saved = z.safeParse(savedPlanSchema, value)
  if (saved.success) return saved.data
  const parseJsonFile = await loadJsonParser()
  const { errors, offsetOf } = await parseJsonFile(text)
  const [flaw]: readonly (Partial<Finding> & { readonly offset?: number | undefined })[] =
    value === undefined ? errors : check(savedPlanSchema, value)
  const offset = flaw?.offset ?? offsetOf(flaw?.path ?? [], flaw?.at ?? 'value')
  const position = offset === undefined ? undefined : createLineIndex(text)(offset)
  const reason = flaw === undefined ? '' : `: ${flaw.message}`
  throw new CallyardError('invalid', `${formatLocation({ file, position })} is not a saved plan${reason}`, {
    ...{ code: 'no-saved-plan', hint: saveAgain, details: { file, ...position } },
  })
}

/**
 * Asserts that a saved plan equals the current one, so that only it is carried out.
 * @throws CallyardError `conflict` that lists the changes since then.
 */
export async function assertFresh(saved: SavedPlan, basis: Basis, name: string): Promise<void> {
  const now = await toSavedPlan(basis, saved.salt)
  const changedParts = [
    ...(saved.target === now.target ? [] : [`it is for target ${saved.target}, and this is ${now.target}`]),
    ...(saved.baseUrl === now.baseUrl ? [] : [`it is for ${saved.baseUrl}, and this is ${now.baseUrl}`]),
    ...differences(saved.inputs, now.inputs),
    ...differences(saved.environment, now.environment),
    ...(saved.lock === now.lock ? [] : [`${lockfileName} changed`]),
  ]
  if (
    changedParts.length === 0 &&
    isDeepStrictEqual(saved.actions.map(factsOf), asWritten(now.actions).map(factsOf))
  )
    return
  const reasons = changedParts.length === 0 ? ['the settings, or callyard itself, changed'] : changedParts
  const lines = reasons.slice(0, 20).map(reason => `  ${reason}`)
  throw new CallyardError('conflict', [`${name} is out of date; nothing was sent`, ...lines].join('\n'), {
    ...{ code: 'plan-outdated', hint: saveAgain },
    details: { file: name, target: now.target, changed: reasons },
  })
}

/** Actions as they are read back from a file: fields without a value are gone. */
function asWritten(actions: SavedPlan['actions']): SavedPlan['actions'] {
  return JSON.parse(JSON.stringify(actions))
}

/** Removes display paths and sentences, which depend on folder and flags. */
function factsOf({ file: _, reason: __, choices: ___, ...facts }: ActionDocument) {
  return facts
}

function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap(name => {
    if (before[name] === after[name]) return []
    if (after[name] === undefined) return [`${name} is gone`]
    return [before[name] === undefined ? `${name} is new` : `${name} changed`]
  })
}

/** Everything that a project was made of → a hash: files by their path in the project, settings, the vocabulary. */
function inputHashes({ folder, settings, vocabulary, resources }: LoadedProject): Map<string, string> {
  const hashes = new Map([
    [projectFileName, hashContent(JSON.stringify(settings))],
    ['the vocabulary', hashContent(JSON.stringify(vocabulary))],
  ])
  for (const { checked } of resources) {
    const { path: absolute, text } = checked.source
    const file = relative(folder, absolute)
    hashes.set(file, hashContent(text))
    for (const [path, included] of checked.references.included) {
      hashes.set(`${file} → ${path}`, hashContent(included))
    }
  }
  return hashes
}
