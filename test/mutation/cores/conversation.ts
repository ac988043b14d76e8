import type { Core } from '../core.ts'

const lookedUp =
  'An item that is not recognized by its place is looked up by its id: that takes longer and finds the same.'

export const conversation: Core = {
  about: 'what is new in each webhook event of a call, and what is remembered of calls',
  sources: [
    'src/events/conversation/{conversation,changes,status-change,conversation-cache,conversation-tracker,is-edit}.ts',
  ],
  tests: [
    'test/events/conversation/{conversation,conversation-cache,conversation-tracker,is-edit}.test.ts',
    'test/events/conversation/read/body-reader.test.ts',
  ],
  equivalent: [
    {
      file: 'is-edit.ts',
      becomes: ['return text.slice(0, 4 * maxCompared).toUpperCase()'],
      why: 'Both texts are compared in one case, whichever it is.',
    },
    {
      file: 'is-edit.ts',
      becomes: ['const [short, long] = one.length <= other.length ? [one, other] : [other, one]'],
      why: 'Of two texts of one length either may be called the shorter.',
    },
    {
      file: 'conversation-cache.ts',
      becomes: [
        'lastMessages: ["Stryker was here"],',
        'return false',
        '): item is Readonly<Record<string, unknown>> {}',
      ],
      why: lookedUp,
    },
    {
      file: 'conversation.ts',
      becomes: [
        'if (!before.compact) {}',
        'if (expected !== undefined && isSameMessage(item, expected)) {}',
        'lastMessages ??= []',
      ],
      why: lookedUp,
    },
    {
      file: 'conversation-cache.ts',
      becomes: [
        'if (false) return',
        'if (calls.size < maxCalls && bytes <= maxBytes) return',
        'if (calls.size <= maxCalls && bytes < maxBytes) return',
      ],
      why: 'Each loop below ends at once where there is room.',
    },
    ...['if (!before.compact) {', 'if (expected !== undefined && isSameMessage(item, expected)) {'].map(
      was => ({
        file: 'conversation.ts',
        was,
        becomes: ['if (false) {'],
        why: lookedUp,
      }),
    ),
    {
      file: 'conversation.ts',
      becomes: [
        'changes: false ? before.changes : [...before.changes, ...changes],',
        'repeats: before.repeats - repeats,',
        'const shownKeys = false ? before.shownKeys : new Set([...before.shownKeys, ...keys])',
      ],
      why: 'A copy is equal to what is copied, and a second step repeats nothing.',
    },
    {
      file: 'status-change.ts',
      becomes: [
        'return true ? digest(text) : text',
        'return text.length >= maxKeyLength ? digest(text) : text',
        'const analysisKey = analysis === undefined ? "Stryker was here!" : `analysis ${shortKey(analysis)}`',
      ],
      why: 'Keys need only differ: short ones are not hashed because that takes longer.',
    },
    {
      file: 'conversation.ts',
      becomes: ['const occurrence = (occurrences.get(content) ?? 0) - 1'],
      why: 'Occurrences counted downwards are as distinct as those counted upwards.',
    },
    {
      file: 'conversation-cache.ts',
      becomes: ['if (false) live.delete(key)'],
      why: 'A call that is compact already is compacted again, which changes nothing.',
    },
    {
      file: 'conversation-cache.ts',
      becomes: [
        'if (true) forget(key)',
        'if (isBounded && true) forget(key)',
        'if (isBounded || key !== newest) forget(key)',
        'const isBounded = true',
      ],
      why: 'The last one is taken out and put at the end again, which takes longer and changes nothing.',
    },
  ],
}
