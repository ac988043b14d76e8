import { type Address, kindOfAddress } from '../../files/formats/address.ts'
import { fileHints } from '../../files/source/index.ts'
import { byCase } from '../../lib/by-case.ts'
import type { CommandWords } from '../../lib/error.ts'
import { type Choice, choicesFor } from '../../project/plan/explain/index.ts'
import type { Why } from '../../project/plan/index.ts'
import { type Advice, type Hints, suggest } from './advice.ts'

const init: CommandWords = ['init']

/** Flags of the run that its hints repeat. */
export interface RunFlags {
  readonly target?: string | undefined
  readonly profile?: string | undefined
}

/** Target of a run by its name in the lockfile, if that is known. */
export interface RunTarget {
  readonly target?: string | undefined
  readonly run?: RunFlags | undefined
}

/** Returns a command that goes to the target of the run: without its flags it may change another one. */
export function commandAt({ target, run = {} }: RunTarget, ...words: CommandWords): CommandWords {
  const { profile } = run
  const name = target ?? run.target
  const isDefault = run.target === undefined && name === (profile ?? 'default')
  return [
    ...words,
    ...(name === undefined || isDefault ? [] : ['--target', name]),
    ...(profile === undefined ? [] : ['--profile', profile]),
  ]
}

export const applyAt = (at: RunTarget, ...flags: CommandWords) => commandAt(at, 'apply', ...flags)

/** Advice for files and errors of projects. */
export const projectHints: Hints = {
  [fileHints.useProject]: suggest`${fileHints.useProject}: ${init}`,
  'create it there': (at: RunTarget) => suggest`create it there: ${applyAt(at)}`,
  'no-project-in': suggest`pass the folder that contains callyard.yaml, or create a project: ${init}`,
  'no-project': (_: unknown, hint) => suggest`${hint}: ${init}`,
  'target-twice': ({ recorded, ...at }: RunTarget & { recorded: string }) =>
    suggest`pass --target ${recorded}; or, to create everything twice: ${applyAt(at, '--new-target')}`,
  'other-sandbox': (at: RunTarget) =>
    suggest`to create everything in this sandbox: ${applyAt(at, '--new-target')}; or start the other one with its --data`,
  'lockfile-older': resendAll,
  'lockfile-forked': resendAll,
  'target-missing': (at: RunTarget, hint) =>
    suggest`${hint}: ${applyAt(at, '--resend')}; or, to create everything again: ${applyAt(at, '--new-target')}`,
  'created-before': ({ address, id, ...at }: ResourceDetails) =>
    suggest`to use it: ${applyAt(at, '--adopt', `${address}=${id}`)}; to create another one: ${applyAt(at, '--forget', `${address}=${id}`)}`,
  'not-deployed': ({ inline, ...at }: ResourceDetails & { inline?: string }) =>
    suggest`create it there: ${applyAt(at)}${inline === undefined ? '' : `; or send the file unchanged: --assistant ${inline}`}`,
  'not-as-deployed': ({ file, ...at }: ResourceDetails & { file: string }) =>
    suggest`apply it first: ${applyAt(at)}; or send it unchanged: --assistant ${file}`,
  'other-tool': ({ address, recorded, id, ...at }: ResourceDetails & { recorded: string }) =>
    suggest`${commandAt(at, 'tool', 'update', recorded, '…')}; or, to make ${id} this tool: ${applyAt(at, '--adopt', `${address}=${id}`)}`,
  'update-blocked': ({ why, address, id, ...at }: ResourceDetails & { why?: Why }) =>
    joinAdvice(
      why === undefined ? [] : choicesFor(why, { address, id }).map(choice => choiceAdvice(choice, at)),
      '; or: ',
    ),
  'created-already': (at: RunTarget) =>
    suggest`to send changes: ${applyAt(at)}; to create another one, pass --allow-duplicate`,
  'creation-unanswered': ({ address, ...at }: ResourceDetails) =>
    suggest`check the service, then run ${applyAt(at, '--adopt', `${address}=<id>`)}, or ${applyAt(at, '--forget', address)} if it does not exist`,
  'adopt-taken': ({ holder, id, ...at }: RunTarget & { holder: string; id: string }) =>
    suggest`remove it from callyard.lock.yaml first: ${applyAt(at, '--forget', `${holder}=${id}`)}`,
  'forget-known': ({ address, id, ...at }: ResourceDetails) =>
    suggest`if you want that: ${applyAt(at, '--forget', `${address}=${id}`)}`,
  'apply-unanswered': ({
    alone,
    open,
    ...at
  }: RunTarget & { alone: boolean; open: readonly Unsettled[] }) => {
    const { hint, next } = recovery(open, at)
    return { hint: `${alone ? '' : 'if none is running, '}${hint}`, next }
  },
  'create-unanswered': ({ address, outcome, ...at }: ResourceDetails & { outcome?: string }) =>
    outcome === 'done'
      ? suggest`look up its id in the service, then run: ${applyAt(at, '--adopt', `${address}=<id>`)}`
      : recovery([{ address }], at),
  'no-saved-plan': saveAgain,
  'plan-outdated': saveAgain,
  'gone-at-target': ({ address, id, ...at }: ResourceDetails) =>
    suggest`${id} was deleted at the service, or the API key is another account's. To create it again: ${applyAt(at, '--forget', `${address}=${id}`)}`,
  'not-written-down': ({ address, created, ...at }: ResourceDetails & { created?: string }, hint) =>
    created === undefined
      ? hint
      : suggest`fix this, then run: ${applyAt(at, '--adopt', `${address}=${created}`)}`,
  'other-knowledge-base': ({ address, ...at }: ResourceDetails) =>
    suggest`change knowledgeBaseId back; or insert every entry into the other one: ${applyAt(at, '--forget', address)}`,
  'journal-lost': ({ lockfile, journal, ...at }: RunTarget & { lockfile: string; journal: string }) =>
    suggest`restore ${journal} from the machine of that run, then run ${commandAt(at, 'plan')}; if it is lost, delete the last line of ${lockfile}, check the service for what ${commandAt(at, 'plan', '--resend')} lists as blocked, and pass the ids to ${applyAt(at, '--resend', '--adopt')}`,
  'answer-lost': settleBatch,
  'answer-unclear': settleBatch,
  'batch-open': settleBatch,
  'entries-refused': ({ inProject, refused, run, ...push }: RefusedEntries) =>
    suggest`if they were deleted at the service, insert them again: ${
      inProject === undefined
        ? commandAt({ run }, ...pushAgain(push), ...refused.flatMap(({ id }) => ['--forget', id]))
        : applyAt(
            { target: inProject.target, run },
            ...refused.flatMap(({ id }) => ['--forget', `${inProject.address}:${id}`]),
          )
    }`,
}

interface PushedFile {
  readonly run?: RunFlags
  /** Display name. */
  readonly pushed: string
  readonly knowledgeBaseId: string
  /** True if the file names its knowledge base. */
  readonly isNamed: boolean
}

function pushAgain({ pushed, knowledgeBaseId, isNamed }: PushedFile): CommandWords {
  return ['faq', 'push', pushed, ...(isNamed ? [] : ['--kb', knowledgeBaseId])]
}

interface RefusedEntries extends PushedFile {
  readonly inProject?: Destination
  readonly refused: readonly { readonly id: string }[]
}

/** A resource at a target. */
interface Destination {
  readonly address: Address
  readonly target: string
}

export interface ResourceId {
  readonly address: Address
  /** Undefined if the service has none of it. */
  readonly id?: string | undefined
}

interface ResourceDetails extends ResourceId, RunTarget {
  readonly id: string
}

/** A resource whose outcome is unknown; `id` if the service named one, `file` of a knowledge base. */
interface Unsettled {
  readonly address: Address
  readonly file?: string | undefined
  readonly id?: string | undefined
}

function resendAll(at: RunTarget, hint: string): Advice {
  return suggest`${hint}: ${applyAt(at, '--resend')}`
}

function saveAgain(at: RunTarget): Advice {
  return suggest`create a new plan: ${savePlanAt(at)}`
}

export const savePlanAt = (at: RunTarget) => commandAt(at, 'plan', '--out', 'plan.json')

/** Advice with complete commands to settle each open resource. */
export function recovery(open: readonly Unsettled[], at: RunTarget): Advice {
  const created = open.filter(({ address }) => kindOfAddress(address) !== 'kb')
  const files = open.flatMap(({ address, file }) => (kindOfAddress(address) === 'kb' ? (file ?? []) : []))
  const adopted = created.flatMap(({ address, id = '<id>' }) => ['--adopt', `${address}=${id}`])
  const forgotten = open.flatMap(({ address }) => ['--forget', address])
  const ways = [
    ...(adopted.length === 0 ? [] : [suggest`for resources that exist, ${applyAt(at, ...adopted)}`]),
    ...(files.length === 0
      ? []
      : [
          joinAdvice(
            files.map(file => suggest`${commandAt(at, 'faq', 'push', file, '--adopt-batch', 'ids.txt')}`),
            ' and ',
            'for entries that exist, write their ids into the file, or into ids.txt, and run ',
          ),
        ]),
    suggest`for the others, ${applyAt(at, ...forgotten)}`,
  ]
  const { hint, next } = joinAdvice(ways, '; ', 'check the service, then: ')
  return { hint: `${hint}. You can do this one at a time`, next }
}

/** A choice in words, and its command. */
export const choiceAdvice = (choice: Choice, at: RunTarget): Advice =>
  byCase('code', choice, {
    'empty-fields': ({ fields }) =>
      suggest`set ${fields.join(' and ')} to an empty value, such as ${fields[0] === 'messages' ? 'messages: []' : `${fields[0]}: {}`}`,
    'set-fields': () => suggest`set it to a value`,
    'create-again': ({ address, id }) =>
      suggest`create a new tool with a new id: ${applyAt(at, '--forget', `${address}=${id}`)}; ${String(id)} remains until you delete it at the service`,
    'replace-assistants': ({ id }) =>
      suggest`create a new assistant with a new id: set assistants: replace in callyard.yaml; ${String(id)} remains until you delete it at the service`,
    'declare-endpoint': ({ method }) =>
      method === 'PUT'
        ? suggest`declare an endpoint that accepts the whole assistant in callyard.yaml: endpoints: { updateAssistant: "PUT …" }`
        : suggest`if your service has an update endpoint, declare it in callyard.yaml: endpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" }`,
    adopt: ({ address }) => suggest`if it exists: ${applyAt(at, '--adopt', `${address}=<id>`)}`,
    rename: ({ address, id }) =>
      suggest`if ${address} is its new name: ${applyAt(at, '--adopt', `${address}=${id}`)}`,
    'adopt-entries': ({ address, former }) =>
      suggest`if the file was renamed: ${applyAt(at, '--adopt', `${address}=${former}`)}`,
    forget: ({ address }) => suggest`remove it from the lockfile: ${applyAt(at, '--forget', address)}`,
    'forget-entries': ({ address }) =>
      suggest`if it is another knowledge base: ${applyAt(at, '--forget', address)}; its entries are then updated`,
    'insert-entries': ({ address }) =>
      suggest`insert every entry into the other knowledge base: ${applyAt(at, '--forget', address)}`,
    'write-entry-ids': () => suggest`for entries that exist, write their ids into the file`,
    'apply-rest': () => suggest`to create the rest, run ${applyAt(at)} again without --resend`,
    'restore-id': () => suggest`change knowledgeBaseId back`,
  })

function joinAdvice(parts: readonly Advice[], separator: string, start = ''): Advice {
  return {
    hint: `${start}${parts.map(({ hint }) => hint).join(separator)}`,
    next: parts.flatMap(({ next = [] }) => next),
  }
}

/** A push that is a part of an apply has another way of sending open entries again. */
function settleBatch({ applied, run, ...push }: PushedFile & { readonly applied?: Destination }) {
  const at = { target: applied?.target, run }
  const adopt = commandAt(at, ...pushAgain(push), '--adopt-batch', 'ids.txt')
  return suggest`check the knowledge base. For entries that exist, write their ids into the file, or into ids.txt, one per line in this order, and run ${adopt}; for the others, ${
    applied === undefined ? 'run again with --resend-unknown' : applyAt(at, '--forget', applied.address)
  }`
}
