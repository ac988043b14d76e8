import { type Address, kindOfAddress } from '../../files/formats/address.ts'
import { CallyardError } from '../../lib/error.ts'
import { count, listed } from '../../lib/text/count.ts'
import { entriesAt, type OpenEntry, readEntries, recover, storedAs, type UnknownEntry } from '../faq/index.ts'
import { ledgerView } from '../lockfile/entries/index.ts'
import { findState, type ProjectTarget, type Section, type TargetState } from '../lockfile/index.ts'
import { collectIds, renderResource } from '../rendering/index.ts'
import type { LoadedProject, Resource } from '../resources/index.ts'
import { type EntryState, planKnowledgeBase } from './plan-knowledge-base.ts'
import { planAssistant, planTool } from './plan-resource.ts'
import type { Action, Plan } from './plan-schema.ts'

/**
 * Plans an apply: all differences between the files and the recorded state of the target. Pure: reads no files, sends nothing. `alone`
 * means that no other run can be active; otherwise that run may be waiting for a response. `createsNothing` blocks what would be created.
 * @throws CallyardError `conflict` while the result of an earlier apply is unknown.
 */
export function makePlan(
  project: LoadedProject,
  { name, baseUrl }: ProjectTarget,
  state: TargetState,
  {
    alone = true,
    createsNothing = false,
  }: { readonly alone?: boolean; readonly createsNothing?: boolean } = {},
): Plan {
  assertSettled(project, name, state, alone)
  const { section, hash, isOwnedByOtherTarget } = state
  const planned = new Map<Address, Action>()
  const ids = collectIds(project.resources, hash, address => idAfter(planned.get(address)))
  const actions = project.resources.map(resource => {
    const lastState = findState(section, resource.address)
    const rendering = renderResource(resource.checked, ids)
    const action = planResource(resource, { lastState, rendering, isOwnedByOtherTarget }, project, section)
    planned.set(resource.address, action)
    return action
  })
  const lastApply = lastApplyOf(section)
  const feasible = createsNothing ? actions.map(blockCreation) : actions
  return { target: name, baseUrl, lastApply, actions: [...feasible, ...planOrphans(section, actions)] }
}

function lastApplyOf({ serial, applied, by }: Section): Plan['lastApply'] {
  if (serial === undefined || applied === undefined || by === undefined) return undefined
  return Number.isNaN(Date.parse(applied)) ? undefined : { serial, at: applied, by }
}

function planResource(
  resource: Resource,
  facts: EntryState,
  { resources, settings }: LoadedProject,
  section: Section,
): Action {
  if (resource.kind === 'kb') {
    const former = facts.lastState === undefined ? formerName(resource, resources, section) : undefined
    return planKnowledgeBase(resource, { ...facts, former })
  }
  const plan = resource.kind === 'tool' ? planTool : planAssistant
  return plan(resource, { lastState: facts.lastState, snapshot: facts.rendering.fingerprint(), settings })
}

/** Under which name the lockfile has the entries of a knowledge base whose file was renamed. */
function formerName(
  { checked }: Resource,
  resources: readonly Resource[],
  section: Section,
): Address | undefined {
  const keys = new Set(readEntries(checked.source, checked.body).flatMap(({ key }) => key ?? []))
  const present = new Set(resources.map(({ address }) => address))
  return (Object.keys(section.resources) as Address[]).find(
    address =>
      kindOfAddress(address) === 'kb' &&
      !present.has(address) &&
      Object.keys(section.resources[address]?.entries ?? {}).some(key => keys.has(key)),
  )
}

/** The id that others refer to; undefined where it is known only once this is applied. */
function idAfter(action: Action | undefined) {
  return action?.action === 'replace' ? undefined : action
}

/** Blocks what would be created: a later version of the lockfile may have it. The next plan creates it. */
function blockCreation(action: Action): Action {
  const { action: name, entries = [] } = action
  const creates = name === 'create' || name === 'replace' || entries.some(entry => entry.action === 'insert')
  return creates ? { ...action, action: 'blocked', why: { code: 'may-exist' } } : action
}

/** Lists recorded resources without a file. They are left alone, because the interface has no delete. */
function planOrphans({ resources }: Section, actions: readonly Action[]): Action[] {
  const present = new Set(actions.map(({ address }) => address))
  return (Object.keys(resources) as Address[])
    .filter(address => !present.has(address))
    .sort()
    .map(address => {
      const id = resources[address]?.id
      const heir = onlyOne(
        actions.filter(action => action.action === 'create'),
        address,
      )
      return {
        address,
        action: 'orphaned',
        ...(id === undefined ? {} : { id }),
        changes: [],
        why: { code: 'no-file', ...(id === undefined || heir === undefined ? {} : { heir: heir.address }) },
        needs: [],
      }
    })
}

/** With several new files, the renamed one is ambiguous. */
function onlyOne(created: readonly Action[], address: Address): Action | undefined {
  const heirs = created.filter(action => kindOfAddress(action.address) === kindOfAddress(address))
  return heirs.length === 1 ? heirs[0] : undefined
}

/**
 * Asserts that no earlier apply ended between a POST and its response: the resource may exist, and a second POST could create it twice.
 * @throws CallyardError `conflict` that names each such resource and how to resolve it.
 */
function assertSettled(
  project: LoadedProject,
  target: string,
  { section, hash, isOwnedByOtherTarget }: TargetState,
  alone: boolean,
): void {
  const { resources } = section
  const byAddress = new Map(project.resources.map(resource => [resource.address, resource]))
  const ids = collectIds(project.resources, hash, address => findState(section, address))
  const open: Unanswered[] = []
  for (const address of (Object.keys(resources) as Address[]).sort()) {
    const lastState = resources[address]
    if (lastState?.creating !== undefined) open.push({ address })
    if (lastState?.pending === undefined) continue
    const checked = byAddress.get(address)?.checked
    const ledger = ledgerView(lastState, isOwnedByOtherTarget)
    const knownEntries =
      checked === undefined ? [] : readEntries(checked.source, checked.body, renderResource(checked, ids))
    // An id in the file may be another target's: it says nothing of this one.
    const entries = recover(ledger, entriesAt(knownEntries, ledger)).open.map(describeOpenEntry)
    const file = checked?.source.file
    if (entries.length > 0) open.push({ address, file, entries })
  }
  if (open.length === 0) return
  const unknown = open.map(({ address }) => address)
  throw new CallyardError(
    'conflict',
    [
      `${alone ? '' : 'an apply is running, or '}the outcome of an earlier apply is unknown; target ${target} may have these:`,
      ...open.map(request => `  ${unansweredText(request)}`),
      'nothing was sent',
    ].join('\n'),
    {
      code: 'apply-unanswered',
      hint: `${alone ? '' : 'if none is running, '}check the service, then adopt what exists, and forget the others`,
      details: { target, alone, open, unknown },
    },
  )
}

function describeOpenEntry({ entry, pending: { line, id } }: OpenEntry): UnknownEntry {
  return { line, question: entry?.label, id }
}

/** A resource whose creation has no response yet, or a knowledge base with such entries. */
interface Unanswered {
  readonly address: Address
  /** File of a knowledge base; undefined if it was removed. */
  readonly file?: string | undefined
  readonly entries?: readonly UnknownEntry[]
}

function unansweredText({ address, entries }: Unanswered): string {
  if (entries === undefined) return address
  return `${count(entries.length, 'entry', 'entries')} of ${address}: ${listed(entries.map(entryText), 5)}`
}

function entryText({ line, question, id }: UnknownEntry): string {
  const text = line === undefined ? 'an entry no longer in the file' : `an entry that was in line ${line}`
  return `${question === undefined ? text : JSON.stringify(question)}${storedAs(id)}`
}
