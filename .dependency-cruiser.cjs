/** The directions of design.md section 2: commands → project | webhook | sandbox | profile → source | api → interface → errors. */
const layer = (name, allowed) => ({
  name: `${name}-looks-down`,
  comment: `src/${name}/ may import only ${allowed.join(', ') || 'nothing'} of our own`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: {
    path: '^src/',
    pathNot: [
      `^src/${name}/`,
      '^src/errors\\.ts$',
      '^src/context\\.ts$',
      '^src/file-lock\\.ts$',
      '^src/durable-write\\.ts$',
      '^src/read-file\\.ts$',
      '^src/open-bodies\\.ts$',
      ...allowed.map(other => `^src/${other}/`),
    ],
  },
})

module.exports = {
  forbidden: [
    layer('interface', []),
    layer('source', ['interface']),
    layer('api', ['interface']),
    layer('profile', ['source', 'api', 'interface']),
    layer('project', ['source', 'api', 'interface']),
    layer('webhook', ['source', 'interface']),
    layer('sandbox', ['source', 'interface']),
    layer('output', ['project', 'webhook', 'interface']),
    {
      name: 'only-program-knows-commands',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(commands/|program\\.ts$)' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      // context.ts holds types alone, so a circle through it is none at run time.
      to: { circular: true, viaOnly: { pathNot: '^src/context\\.ts$' } },
    },
    {
      name: 'source-does-not-know-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|bin|dist)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
}
