import { type Address, kindOfAddress } from '../../files/formats/address.ts'
import { fileHints } from '../../files/source/index.ts'
import { byCase } from '../../lib/by-case.ts'
import type { CommandWords } from '../../lib/error.ts'
import { type Choice, choicesFor, type Why } from '../../project/plan/index.ts'
import { type Advice, type Hints, suggest } from './advice.ts'

const init: CommandWords = ['init']

/** The apply that goes to the same target: `target` is the name that was given, if any. */
export const applyTo = (target: string | undefined, ...flags: CommandWords): CommandWords => [
  'apply',
  ...flags,
  ...(target === undefined ? [] : ['--target', target]),
]

/** Advice for files and errors of projects. */
export const projectHints: Hints = {
  [fileHints.useProject]: suggest`${fileHints.useProject}: ${init}`,
  'create it there': ({ given }: { given?: string }) => suggest`create it there: ${applyTo(given)}`,
  'no-project-in': suggest`pass the folder that contains callyard.yaml, or create a project: ${init}`,
  'no-project': (_: unknown, hint) => suggest`${hint}: ${init}`,
  'target-twice': ({ target, recorded }: TargetDetails) =>
    suggest`pass --target ${recorded}; or, to create everything twice: ${['apply', '--target', target, '--new-target']}`,
  'other-sandbox': ({ target }: TargetDetails) =>
    suggest`to create everything in this sandbox: ${['apply', '--target', target, '--new-target']}; or start the other one with its --data`,
  'lockfile-older': resendAll,
  'lockfile-forked': resendAll,
  'target-missing': ({ target }: TargetDetails, hint) =>
    suggest`${hint}: ${applyAt(target, '--resend')}; or, to create everything again: ${applyAt(target, '--new-target')}`,
  'created-before': ({ address, id, given }: ResourceDetails) =>
    suggest`to use it: ${applyTo(given, '--adopt', `${address}=${id}`)}; to create another one: ${applyTo(given, '--forget', `${address}=${id}`)}`,
  'not-deployed': ({ given, inline }: ResourceDetails & { inline?: string }) =>
    suggest`create it there: ${applyTo(given)}${inline === undefined ? '' : `; or send the file unchanged: --assistant ${inline}`}`,
  'not-as-deployed': ({ file, given }: ResourceDetails & { file: string }) =>
    suggest`apply it first: ${applyTo(given)}; or send it unchanged: --assistant ${file}`,
  'other-tool': ({ address, recorded, id, given }: ResourceDetails & { recorded: string }) =>
    suggest`${['tool', 'update', recorded, '…', ...(given === undefined ? [] : ['--target', given])]}; or, to make ${id} this tool: ${applyTo(given, '--adopt', `${address}=${id}`)}`,
  'update-blocked': ({ why, address, id }: ResourceDetails & { why?: Why }) =>
    joinChoices(why === undefined ? [] : choicesFor(why, { address, id }).map(choiceAdvice)),
  'created-already': ({ given }: ResourceDetails) =>
    suggest`to send changes: ${applyTo(given)}; to create another one, pass --allow-duplicate`,
  'creation-unanswered': ({ address, given }: ResourceDetails) =>
    suggest`check the service, then run ${applyTo(given, '--adopt', `${address}=<id>`)}, or ${applyTo(given, '--forget', address)} if it does not exist`,
  'adopt-taken': ({ holder, id }: { holder: string; id: string }) =>
    suggest`remove it from callyard.lock.yaml first: ${['apply', '--forget', `${holder}=${id}`]}`,
  'forget-known': ({ address, id }: ResourceDetails) =>
    suggest`if you want that: ${['apply', '--forget', `${address}=${id}`]}`,
  'apply-unanswered': ({
    target,
    alone,
    open,
  }: {
    target: string
    alone: boolean
    open: readonly Unsettled[]
  }) => {
    const { hint, next } = recovery(open, target)
    return { hint: `${alone ? '' : 'if none is running, '}${hint}`, next }
  },
  'create-unanswered': ({ address, target, outcome }: Destination & { outcome?: string }) =>
    outcome === 'done'
      ? suggest`look up its id in the service, then run: ${applyAt(target, '--adopt', `${address}=<id>`)}`
      : recovery([{ address }], target),
  'create and save a new plan': suggest`create a new plan: ${['plan', '--out', 'plan.json']}`,
  'gone-at-target': ({ address, id }: ResourceDetails) =>
    suggest`${id} was deleted at the service, or the API key is another account's. To create it again: ${['apply', '--forget', `${address}=${id}`]}`,
  'not-written-down': ({ address, created }: { address: string; created?: string }, hint) =>
    created === undefined
      ? hint
      : suggest`fix this, then run: ${['apply', '--adopt', `${address}=${created}`]}`,
  'other-knowledge-base': ({ address }: ResourceDetails) =>
    suggest`change knowledgeBaseId back; or insert every entry into the other one: ${['apply', '--forget', address]}`,
  'journal-lost': ({ lockfile, journal }: { lockfile: string; journal: string }) =>
    suggest`restore ${journal} from the machine of that run, then run ${['plan']}; if it is lost, delete the last line of ${lockfile}, check the service for what ${['plan', '--resend']} lists as blocked, and pass the ids to ${['apply', '--resend', '--adopt']}`,
  'answer-lost': settleBatch,
  'answer-unclear': settleBatch,
  'batch-open': settleBatch,
  'entries-refused': ({ inProject, refused, ...push }: RefusedEntries) =>
    suggest`if they were deleted at the service, insert them again: ${
      inProject === undefined
        ? [...pushAgain(push), ...refused.flatMap(({ id }) => ['--forget', id])]
        : applyAt(
            inProject.target,
            ...refused.flatMap(({ id }) => ['--forget', `${inProject.address}:${id}`]),
          )
    }`,
}

interface PushedFile {
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

interface TargetDetails {
  readonly target: string
  readonly recorded: string
}

/** `given` is the name of the target on the command line, if it has one. */
export interface ResourceId {
  readonly address: Address
  /** Undefined if the service has none of it. */
  readonly id?: string | undefined
}

interface ResourceDetails extends ResourceId {
  readonly id: string
  readonly given?: string
}

/** A resource whose outcome is unknown; `id` if the service named one, `file` of a knowledge base. */
interface Unsettled {
  readonly address: Address
  readonly file?: string | undefined
  readonly id?: string | undefined
}

function resendAll({ target }: TargetDetails, hint: string): Advice {
  return suggest`${hint}: ${applyAt(target, '--resend')}`
}

/** Advice with complete commands to settle each open resource. */
export function recovery(open: readonly Unsettled[], target: string): Advice {
  const created = open.filter(({ address }) => kindOfAddress(address) !== 'kb')
  const files = open.flatMap(({ address, file }) => (kindOfAddress(address) === 'kb' ? (file ?? []) : []))
  const adopted = created.flatMap(({ address, id = '<id>' }) => ['--adopt', `${address}=${id}`])
  const forgotten = open.flatMap(({ address }) => ['--forget', address])
  const ways = [
    ...(adopted.length === 0 ? [] : [suggest`for resources that exist, ${applyAt(target, ...adopted)}`]),
    ...(files.length === 0
      ? []
      : [
          joinAdvice(
            files.map(
              file => suggest`${['faq', 'push', file, '--adopt-batch', 'ids.txt', '--target', target]}`,
            ),
            ' and ',
            'for entries that exist, write their ids into the file, or into ids.txt, and run ',
          ),
        ]),
    suggest`for the others, ${applyAt(target, ...forgotten)}`,
  ]
  const { hint, next } = joinAdvice(ways, '; ', 'check the service, then: ')
  return { hint: `${hint}. You can do this one at a time`, next }
}

/** A choice in words, and its command. */
export const choiceAdvice = (choice: Choice): Advice =>
  byCase('code', choice, {
    'empty-fields': ({ fields }) =>
      suggest`set ${fields.join(' and ')} to an empty value, such as ${fields[0] === 'messages' ? 'messages: []' : `${fields[0]}: {}`}`,
    'set-fields': () => suggest`set it to a value`,
    'create-again': ({ address, id }) =>
      suggest`create a new tool with a new id: ${['apply', '--forget', `${address}=${id}`]}; ${String(id)} remains until you delete it at the service`,
    'replace-assistants': ({ id }) =>
      suggest`create a new assistant with a new id: set assistants: replace in callyard.yaml; ${String(id)} remains until you delete it at the service`,
    'declare-endpoint': ({ method }) =>
      method === 'PUT'
        ? suggest`declare an endpoint that accepts the whole assistant in callyard.yaml: endpoints: { updateAssistant: "PUT …" }`
        : suggest`if your service has an update endpoint, declare it in callyard.yaml: endpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" }`,
    adopt: ({ address }) => suggest`if it exists: ${['apply', '--adopt', `${address}=<id>`]}`,
    rename: ({ address, id }) =>
      suggest`if ${address} is its new name: ${['apply', '--adopt', `${address}=${id}`]}`,
    'adopt-entries': ({ address, former }) =>
      suggest`if the file was renamed: ${['apply', '--adopt', `${address}=${former}`]}`,
    forget: ({ address }) => suggest`remove it from the lockfile: ${['apply', '--forget', address]}`,
    'forget-entries': ({ address }) =>
      suggest`if it is another knowledge base: ${['apply', '--forget', address]}; its entries are then updated`,
    'insert-entries': ({ address }) =>
      suggest`insert every entry into the other knowledge base: ${['apply', '--forget', address]}`,
    'write-entry-ids': () => suggest`for entries that exist, write their ids into the file`,
    'apply-rest': () => suggest`to create the rest, run ${['apply']} again without --resend`,
    'restore-id': () => suggest`change knowledgeBaseId back`,
  })

const joinChoices = (choices: readonly Advice[]) => joinAdvice(choices, '; or: ')

function joinAdvice(parts: readonly Advice[], separator: string, start = ''): Advice {
  return {
    hint: `${start}${parts.map(({ hint }) => hint).join(separator)}`,
    next: parts.flatMap(({ next = [] }) => next),
  }
}

/** A push that is a part of an apply has another way of sending open entries again. */
function settleBatch({ applied, ...push }: PushedFile & { readonly applied?: Destination }) {
  const adopt = [
    ...pushAgain(push),
    ...['--adopt-batch', 'ids.txt'],
    ...(applied ? ['--target', applied.target] : []),
  ]
  return suggest`check the knowledge base. For entries that exist, write their ids into the file, or into ids.txt, one per line in this order, and run ${adopt}; for the others, ${
    applied === undefined
      ? 'run again with --resend-unknown'
      : applyAt(applied.target, '--forget', applied.address)
  }`
}

/** The apply to a target by its recorded name. */
function applyAt(target: string, ...flags: CommandWords): CommandWords {
  return applyTo(target === 'default' ? undefined : target, ...flags)
}
