import type { Core } from '../core.ts'

export const plan: Core = {
  about: 'what an apply would do',
  sources: ['src/plan/!(diff|errors|index|snapshot).ts'],
  tests: ['test/plan/!(diff|snapshot).test.ts'],
  equivalent: [
    {
      file: 'plan-knowledge-base.ts',
      becomes: [
        'if (false) return {}',
        'if (known === undefined && after === undefined) return {}',
        'if (false || after === undefined) return {}',
        'if (known === undefined || false) return {}',
      ],
      why: 'what is updated has an id, and every entry of a project a text: the types do not say so',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: [
        'const segments = Object.values(after).flatMap(value => (typeof value === \'string\' ? parseTemplate(value) : ["Stryker was here"]))',
      ],
      why: 'what is no segment is no variable',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: [
        '...entries.flatMap(({ key }) => key ?? ["Stryker was here"]),',
        'const segments = typeof knowledgeBaseId === \'string\' ? parseTemplate(knowledgeBaseId) : ["Stryker was here"]',
        "segments.flatMap(each => (each.kind === 'env' ? [each.name] : each.kind === 'file' ? [each.path] : [\"Stryker was here\"])),",
      ],
      why: 'no entry, variable or file has this name',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: ["segments.flatMap(each => (each.kind === 'env' ? [each.name] : true ? [each.path] : [])),"],
      why: 'what is neither a variable nor a file has no path',
    },
    {
      file: 'plan-knowledge-base.ts',
      becomes: ['const line = entry.position().line', '...(false ? {} : { line }),'],
      why: 'every entry of a YAML file has a position: the type does not say so',
    },
    {
      file: 'plan-project.ts',
      becomes: [
        'const id = resources[address].id',
        'if (recorded.creating !== undefined) open.push({ address })',
        'if (recorded.pending === undefined) continue',
      ],
      why: 'the address is one of the keys',
    },
    {
      file: 'plan-project.ts',
      was: 'if (recorded?.pending === undefined) continue',
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
      becomes: ['true &&'],
      why: 'only knowledge bases have entries',
    },
  ],
}
