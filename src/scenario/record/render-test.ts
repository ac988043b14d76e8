import { Document, isMap, isSeq, visit } from 'yaml'
import { escaped, type Proposal, type TestDraft } from './draft-test.ts'

export interface RenderOptions {
  readonly active: ReadonlySet<Proposal>
  /** What is not active stands in comments, where a person takes the marks away. */
  readonly withOthers: boolean
  /** Lines at the beginning. */
  readonly notes: readonly string[]
}

const style = { lineWidth: 0 } as const

/** The file of a test, YAML. */
export function renderTest(draft: TestDraft, { active, withOthers, notes }: RenderOptions): string {
  const ofTurn = (turn: number | undefined) => {
    const own = draft.proposals.filter(each => each.turn === turn)
    const others = withOthers ? own.filter(each => !active.has(each)) : []
    return { expect: expectOf(own.filter(each => active.has(each))), others: expectOf(others) }
  }
  const turns = draft.turns.map(({ line }, index) => ({ user: line, ...ofTurn(index) }))
  const ofCall = ofTurn(undefined)
  // A turn of comments alone is no turn.
  const written = turns.filter(({ user, expect }) => user !== undefined || expect !== undefined)
  const { assistant, at, variables, tools } = draft
  // What is undefined is left out.
  const document = documentOf({
    assistant,
    at,
    variables: unlessEmpty(variables),
    tools: unlessEmpty(toolsOf(tools)),
    turns: written.length === 0 ? undefined : written.map(({ user, expect }) => ({ user, expect })),
    expect: ofCall.expect,
  })
  for (const [index, turn] of written.entries()) addOthers(document.getIn(['turns', index]), turn.others)
  addOthers(document.contents, ofCall.others)
  const [first] = turns
  const list = document.get('turns')
  if (first?.others !== undefined && !written.includes(first) && isSeq(list))
    list.commentBefore = commented([{ expect: first.others }])
  return withNotes(document, notes)
}

type Expected = Readonly<Record<string, unknown>>

function expectOf(proposals: readonly Proposal[]): Expected | undefined {
  return unlessEmpty(Object.fromEntries(proposals.map(({ kind, value }) => [kind, value])))
}

function unlessEmpty(fields: Expected): Expected | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** One answer stands alone. */
function toolsOf(tools: TestDraft['tools']) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, list]) => [name, list.length === 1 ? list[0] : list]),
  )
}

/** Behind the last field of what it belongs to: below `expect` where that is there. */
function addOthers(node: unknown, others: Expected | undefined): void {
  if (others === undefined || !isMap(node)) return
  const expected = node.get('expect')
  if (isMap(expected)) expected.comment = commented(others)
  else node.comment = commented({ expect: others })
}

/**
 * Any key may occur in the answer of a tool: without quotes, `<<` would be the merge key of YAML 1.1. Strings with commands of a CI
 * runner are double-quoted, where `output.data` can escape them.
 */
function documentOf(value: unknown) {
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

/** YAML as a comment: without the marks it is a part of the file. */
function commented(value: unknown): string {
  return documentOf(value).toString(style).trimEnd().replace(/^/gm, ' ')
}

function withNotes(document: Document, notes: readonly string[]): string {
  if (notes.length > 0) document.commentBefore = linesOf(notes)
  return `${document.toString(style).trimEnd()}\n`
}

function linesOf(notes: readonly string[]): string {
  return notes.map(note => ` ${note}`).join('\n')
}

/** A draft of entries of a knowledge base, YAML: their answers are empty. `notes`: what a person has to know, a line each. */
export function renderGaps(
  entries: readonly { readonly question: string; readonly notes: readonly string[] }[],
  notes: readonly string[],
): string {
  const document = documentOf({
    faq: entries.map(({ question }) => ({ question: escaped(question), answer: '' })),
  })
  for (const [index, entry] of entries.entries()) {
    const item = document.getIn(['faq', index])
    if (isMap(item)) item.commentBefore = linesOf(entry.notes)
  }
  return withNotes(document, notes)
}
