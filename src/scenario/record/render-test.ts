import { Document, isMap, isScalar, isSeq, visit } from 'yaml'
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
  const ofTurn = (turn: number | undefined) => ({
    active: expectOf(draft.proposals, each => each.turn === turn && active.has(each)),
    others: withOthers
      ? expectOf(draft.proposals, each => each.turn === turn && !active.has(each))
      : undefined,
  })
  const turns = draft.turns.map(({ line }, index) => ({ line, ...ofTurn(index) }))
  const ofCall = ofTurn(undefined)
  // A turn of comments alone is no turn.
  const written = turns.filter(({ line, active: expected }) => line !== undefined || expected !== undefined)
  const document = documentOf({
    ...(draft.assistant === undefined ? {} : { assistant: draft.assistant }),
    ...(draft.at === undefined ? {} : { at: draft.at }),
    ...(isEmpty(draft.variables) ? {} : { variables: draft.variables }),
    ...(isEmpty(draft.tools) ? {} : { tools: toolsOf(draft.tools) }),
    ...(written.length === 0 ? {} : { turns: written.map(toItem) }),
    ...(ofCall.active === undefined ? {} : { expect: ofCall.active }),
  })
  for (const [index, turn] of written.entries()) addOthers(document.getIn(['turns', index]), turn.others)
  addOthers(document.contents, ofCall.others)
  const [first] = turns
  const list = document.get('turns')
  if (first?.others !== undefined && !written.includes(first) && isSeq(list))
    list.commentBefore = commented([{ expect: first.others }])
  if (notes.length > 0) document.commentBefore = notes.map(note => ` ${note}`).join('\n')
  return `${document.toString(style).trimEnd()}\n`
}

type Expected = Readonly<Record<string, unknown>>

function expectOf(
  proposals: readonly Proposal[],
  isWanted: (proposal: Proposal) => boolean,
): Expected | undefined {
  const expected = Object.fromEntries(proposals.filter(isWanted).map(({ kind, value }) => [kind, value]))
  return isEmpty(expected) ? undefined : expected
}

function isEmpty(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(fields).length === 0
}

function toItem({
  line,
  active,
}: {
  readonly line: string | undefined
  readonly active: Expected | undefined
}) {
  return {
    ...(line === undefined ? {} : { user: line }),
    ...(active === undefined ? {} : { expect: active }),
  }
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

/** In the answer of a tool any key may stand: without quotes, `<<` would be the merge key of YAML 1.1. */
function documentOf(value: unknown) {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE'
    },
  })
  return document
}

/** YAML as a comment: without the marks it is a part of the file. */
function commented(value: unknown): string {
  return documentOf(value).toString(style).trimEnd().replace(/^/gm, ' ')
}

/** An entry to be written, and what a person has to know of it: a line each. */
export interface DraftedEntry {
  readonly question: string
  readonly notes: readonly string[]
}

/** A draft of entries of a knowledge base, YAML: their answers are empty. */
export function renderGaps(entries: readonly DraftedEntry[], notes: readonly string[]): string {
  const document = new Document({
    faq: entries.map(({ question }) => ({ question: escaped(question), answer: '' })),
  })
  const list = document.get('faq')
  if (isSeq(list))
    for (const [index, { notes: ofEntry }] of entries.entries()) {
      const item = list.items[index]
      if (isMap(item)) item.commentBefore = ofEntry.map(note => ` ${note}`).join('\n')
    }
  document.commentBefore = notes.map(note => ` ${note}`).join('\n')
  return `${document.toString({ lineWidth: 0 }).trimEnd()}\n`
}
