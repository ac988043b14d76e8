import type { Core } from '../core.ts'

export const plan: Core = {
  about: 'what an apply would do',
  sources: ['src/project/plan/!(diff|index|plan-schema).ts'],
  tests: ['test/project/plan/!(diff).test.ts'],
  equivalent: [
    {
      file: 'plan-knowledge-base.ts',
      becomes: ['if (false) return {}'],
      why: 'what is updated has an id: the types do not say so',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: ['typeof value === \'string\' ? parseTemplate(value) : ["Stryker was here"],'],
      why: 'what is no segment is no variable',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: [
        '...entries.flatMap(({ key }) => key ?? ["Stryker was here"]),',
        'const segments = typeof knowledgeBaseId === \'string\' ? parseTemplate(knowledgeBaseId) : ["Stryker was here"]',
        "segment.kind === 'env' ? [segment.name] : segment.kind === 'file' ? [segment.path] : [\"Stryker was here\"],",
      ],
      why: 'no entry, variable or file has this name',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: ["segment.kind === 'env' ? [segment.name] : true ? [segment.path] : [],"],
      why: 'what is neither a variable nor a file has no path',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: [
        'const line = entry.position().line',
        'if (false) return id === undefined ? { action, question } : { action, id, question }',
        'if (line === undefined) return true ? { action, question } : { action, id, question }',
        'if (line === undefined) return false ? { action, question } : { action, id, question }',
        'if (line === undefined) return id !== undefined ? { action, question } : { action, id, question }',
        'if (line === undefined) return id === undefined ? {} : { action, id, question }',
        'if (line === undefined) return id === undefined ? { action, question } : {}',
      ],
      why: 'every entry of a YAML file has a position: the type does not say so',
    },
    {
      file: 'plan-project.ts',
      becomes: [
        'const id = resources[address].id',
        'if (lastState.creating !== undefined) open.push({ address })',
        'if (lastState.pending === undefined) continue',
      ],
      why: 'the address is one of the keys',
    },
    {
      file: 'plan-project.ts',
      was: 'if (lastState?.pending === undefined) continue',
      becomes: ['if (false) continue'],
      why: 'where nothing is pending, no entry is open: its file is not read again for that',
    },
    {
      file: 'plan-project.ts',
      becomes: [
        'Object.keys(section.resources[address].entries ?? {}).some(key => keys.has(key)),',
        'const keys = new Set(readEntries(checked.source, checked.body).flatMap(({ key }) => key ?? ["Stryker was here"]))',
      ],
      why: 'the address is one of the keys, and no entry has this name',
    },
    {
      file: 'plan-project.ts',
      becomes: [
        'if (serial === undefined || false || by === undefined) return undefined',
        'const { action: name, entries = ["Stryker was here"] } = action',
      ],
      why: 'no date can be read of what is missing, and what is no entry is not inserted',
    },
    {
      file: 'entry-versions.ts',
      becomes: [
        'const position = checked.source.positionOf(path, "")',
        'const before = findEntryText(lastState, entry.key ?? entry.id ?? "Stryker was here!")',
        'after: contents => contents[entry.index] ?? ["Stryker was here"],',
      ],
      why: 'only keys have positions of their own, what is updated has an id, and every entry a content',
    },
    {
      file: 'versions.ts',
      becomes: [
        'true',
        'true ? readEntries(checked.source, now).map(({ content }) => content) : []',
        'kind === \'kb\' ? readEntries(checked.source, now).map(({ content }) => content) : ["Stryker was here"]',
        "const former = action.why?.code === 'renamed-file' ? action.why.former : resource.address",
        'const fields = (action.changes ?? []).map(change => {',
        'const fields = (action?.changes ?? ["Stryker was here"]).map(change => {',
        'const formers = new Set(actions.flatMap(({ why }) => (why?.code === \'renamed-file\' ? [why.former] : ["Stryker was here"])))',
      ],
      why: 'only knowledge bases have entries, every resource has an action, and no resource this name',
    },
    {
      file: 'versions.ts',
      becomes: [
        'if (false) return body',
        'const text = false ? undefined : checked.references.included.get(included)',
        'if (true && text !== undefined) {',
        'if (included !== undefined && true) {',
        'if (included !== undefined || text !== undefined) {',
        'const [segment, ...others] = typeof value === \'string\' ? parseTemplate(value) : ["Stryker was here"]',
        'const line = firstDifference(lastState.files?.[included]?.text ?? "Stryker was here!", text)',
      ],
      why: 'a changed field is in an object, and every file that is named was read: the types do not say so',
    },
    {
      file: 'recorded-values.ts',
      becomes: [
        "if (segment.kind === 'file') return lastState.files?.[segment.path].text ?? ''",
        "if (segment.kind === 'file') return lastState.files[segment.path]?.text ?? ''",
        'if (segment.kind === \'file\') return lastState.files?.[segment.path]?.text ?? "Stryker was here!"',
        'if (false) continue',
      ],
      why: 'every file that was sent is on record, and only variables have values on record',
    },
    {
      file: 'plan-project.ts',
      becomes: ['true &&'],
      why: 'only knowledge bases have entries',
    },
  ],
}
