/** The direction of imports (docs/architecture.md): downward only, each module by its subjects, no circles between files or folders. */
const layer = (name, allowed) => ({
  name: `${name}-looks-down`,
  comment: `src/${name}/ may import only ${allowed.join(', ') || 'nothing'} of our own`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: {
    path: '^(src|package\\.json)',
    pathNot: [`^src/${name}/`, ...allowed.map(other => `^src/${other}/`)],
  },
})

/** Outside of a module only the names that its index.ts exports are known. */
const frontDoor = (name, alsoOpen = []) => ({
  name: `${name}-by-its-front-door`,
  comment: `import from src/${name}/index.ts`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${name}/` },
  to: { path: `^src/${name}/`, pathNot: [`^src/${name}/index\\.ts$`, ...alsoOpen] },
})

module.exports = {
  forbidden: [
    layer('lib', []),
    layer('interface', ['lib']),
    layer('source', ['interface', 'lib']),
    layer('api', ['interface', 'lib']),
    layer('profile', ['source', 'api', 'interface', 'lib']),
    layer('lockfile', ['source', 'interface', 'lib']),
    layer('faq', ['lockfile', 'source', 'api', 'interface', 'lib']),
    layer('project', ['faq', 'lockfile', 'source', 'api', 'interface', 'lib']),
    layer('webhook', ['source', 'interface', 'lib']),
    layer('model', ['lib']),
    layer('sandbox', ['model', 'source', 'interface', 'lib']),
    layer('transcript', ['webhook', 'interface', 'lib']),
    layer('scenario', [
      'project',
      'lockfile',
      'sandbox',
      'model',
      'transcript',
      'webhook',
      'source',
      'interface',
      'lib',
    ]),
    layer('watch', ['webhook', 'transcript', 'interface', 'lib']),
    layer('calls', ['project', 'webhook', 'profile', 'api', 'source', 'interface', 'lib']),
    layer('library', [
      'messages',
      'project',
      'webhook',
      'sandbox',
      'transcript',
      'scenario',
      'source',
      'interface',
      'lib',
    ]),
    layer('messages', [
      'project',
      'faq',
      'lockfile',
      'webhook',
      'sandbox',
      'scenario',
      'profile',
      'api',
      'source',
      'interface',
      'lib',
    ]),
    ...['api', 'source', 'profile', 'lockfile', 'faq', 'project'].map(name => frontDoor(name)),
    // The model of a call, in types alone: what the page is sent consists of it.
    frontDoor('webhook', ['^src/webhook/(conversation/changes|forward/delivery)\\.ts$']),
    // What the page draws, too: a browser cannot load the rest.
    frontDoor('transcript', ['^src/transcript/(call-(words|timeline)\\.ts|timeline(-drawing\\.ts|\\.css))']),
    frontDoor('watch'),
    frontDoor('calls'),
    frontDoor('model'),
    frontDoor('sandbox'),
    // A command that checks files, or makes them from calls, loads the rest of the room for none.
    frontDoor('scenario', ['^src/scenario/(load/load-tests|record/(index|observed-course))\\.ts$']),
    // Two front doors, as the package has two entries; and what `sandbox exec` needs of it.
    frontDoor('library', ['^src/library/(sandbox|apply-project)\\.ts$']),
    {
      name: 'only-commands-know-the-library',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(library|commands)/' },
      to: { path: '^src/library/' },
    },
    {
      name: 'call-engine-is-pure',
      comment: 'no clock, no input or output, nothing of the sandbox above it',
      severity: 'error',
      from: { path: '^src/sandbox/engine/' },
      to: {
        pathNot: [
          '^src/sandbox/engine/',
          '^src/interface/',
          '^src/lib/(json\\.|text/)',
          '^node_modules/zod/',
        ],
      },
    },
    {
      name: 'only-main-knows-commands',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(commands/|main\\.ts$)' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circular-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true },
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
