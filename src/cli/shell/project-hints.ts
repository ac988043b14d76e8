import type { Address } from '../../files/formats/address.ts'
import { useProject } from '../../files/source/index.ts'
import type { CommandWords } from '../../lib/error.ts'
import { type Hints, suggest } from './advice.ts'

const init: CommandWords = ['init']

/** The apply that goes to the same target: `target` is the name that was given, if any. */
export const applyTo = (target: string | undefined, ...flags: CommandWords): CommandWords => [
  'apply',
  ...flags,
  ...(target === undefined ? [] : ['--target', target]),
]

/** Advice for files and errors of projects. */
export const projectHints: Hints = {
  [useProject]: suggest`${useProject}: ${init}`,
  'create it there': ({ given }: { given?: string }) => suggest`create it there: ${applyTo(given)}`,
  'no-project-in': suggest`pass the folder that contains callyard.yaml, or create a project: ${init}`,
  'answer-lost': settleBatch,
  'answer-unclear': settleBatch,
  'batch-open': settleBatch,
  'entries-refused': ({ file, knowledgeBaseId, isNamed, inProject, refused }: RefusedEntries) =>
    suggest`if they were deleted at the service, insert them again: ${
      inProject === undefined
        ? [
            ...['faq', 'push', file],
            ...(isNamed ? [] : ['--kb', knowledgeBaseId]),
            ...refused.flatMap(({ id }) => ['--forget', id]),
          ]
        : applyAt(
            inProject.target,
            ...refused.flatMap(({ id }) => ['--forget', `${inProject.address}:${id}`]),
          )
    }`,
}

interface RefusedEntries {
  readonly file: string
  readonly knowledgeBaseId: string
  /** True if the file names its knowledge base. */
  readonly isNamed: boolean
  readonly inProject?: Destination
  readonly refused: readonly { readonly id: string }[]
}

/** A resource at a target. */
interface Destination {
  readonly address: Address
  readonly target: string
}

/** A push that is a part of an apply has another way of sending open entries again. */
function settleBatch({ file, applied }: { readonly file: string; readonly applied?: Destination }) {
  const adopt = [
    'faq',
    'push',
    file,
    '--adopt-batch',
    'ids.txt',
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
