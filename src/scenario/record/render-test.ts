import { Document, isMap, isSeq, visit } from 'yaml'
import { mapValues } from '../../lib/json.ts'
import { escapeText, type Proposal, type TestDraft } from './draft-test.ts'

export interface RenderOptions {
  readonly active: ReadonlySet<Proposal>
  /** Adds inactive proposals as comments, which users can uncomment. */
  readonly withOthers: boolean
  /** Comment lines at the top of the file. */
  readonly notes: readonly string[]
}

const style = { lineWidth: 0 } as const

/** Formats a draft as a YAML test file. */
export function renderTest(draft: TestDraft, { active, withOthers, notes }: RenderOptions): string {
  const ofTurn = (turn: number | undefined) => {
    const own = draft.proposals.filter(proposal => proposal.turn === turn)
    const others = withOthers ? own.filter(proposal => !active.has(proposal)) : []
    return {
      expect: toExpectFields(own.filter(proposal => active.has(proposal))),
      others: toExpectFields(others),
    }
  }
  const turns = draft.turns.map(({ line }, index) => ({ user: line, ...ofTurn(index) }))
  const ofCall = ofTurn(undefined)
  // A turn must not consist of comments alone.
  const written = turns.filter(({ user, expect }) => user !== undefined || expect !== undefined)
  const { assistant, at, variables, tools } = draft
  // Undefined fields are omitted.
  const document = createDocument({
    assistant,
    at,
    variables: unlessEmpty(variables),
    tools: unlessEmpty(mapValues(tools, list => (list.length === 1 ? list[0] : list))),
    turns: written.length === 0 ? undefined : written.map(({ user, expect }) => ({ user, expect })),
    expect: ofCall.expect,
  })
  for (const [index, turn] of written.entries()) addOthers(document.getIn(['turns', index]), turn.others)
  addOthers(document.contents, ofCall.others)
  const [first] = turns
  const list = document.get('turns')
  if (first?.others !== undefined && !written.includes(first) && isSeq(list))
    list.commentBefore = toComment([{ expect: first.others }])
  return withNotes(document, notes)
}

type Expected = Readonly<Record<string, unknown>>

function toExpectFields(proposals: readonly Proposal[]): Expected | undefined {
  return unlessEmpty(Object.fromEntries(proposals.map(({ kind, value }) => [kind, value])))
}

function unlessEmpty(fields: Expected): Expected | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** Adds inactive proposals after the last field, inside `expect` if it exists. */
function addOthers(node: unknown, others: Expected | undefined): void {
  if (others === undefined || !isMap(node)) return
  const expected = node.get('expect')
  if (isMap(expected)) expected.comment = toComment(others)
  else node.comment = toComment({ expect: others })
}

/**
 * Tool results may contain any key, and an unquoted `<<` is the merge key of YAML 1.1. Strings with CI runner commands are double-quoted,
 * where `output.data` can escape them.
 */
function createDocument(value: unknown) {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(key, scalar) {
      const isMergeKey = key === 'key' && scalar.value === '<<'
      if (isMergeKey || (typeof scalar.value === 'string' && mayBeCommand.test(scalar.value)))
        scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document
}

const mayBeCommand = /##|^\s*::/m

/** Formats a value as YAML that is valid once it is uncommented. */
function toComment(value: unknown): string {
  return createDocument(value).toString(style).trimEnd().replace(/^/gm, ' ')
}

function withNotes(document: Document, notes: readonly string[]): string {
  if (notes.length > 0) document.commentBefore = toCommentLines(notes)
  return `${document.toString(style).trimEnd()}\n`
}

function toCommentLines(notes: readonly string[]): string {
  return notes.map(note => ` ${note}`).join('\n')
}

/** Formats questions as knowledge base entries to complete. `notes` become comment lines at the top. */
export function renderGaps(
  entries: readonly { readonly question: string; readonly notes: readonly string[] }[],
  notes: readonly string[],
): string {
  const document = createDocument({
    faq: entries.map(({ question }) => ({ question: escapeText(question), answer: '' })),
  })
  for (const [index, entry] of entries.entries()) {
    const item = document.getIn(['faq', index])
    if (isMap(item)) item.commentBefore = toCommentLines(entry.notes)
  }
  return withNotes(document, notes)
}
