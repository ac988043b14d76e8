const { existsSync, readdirSync } = require('node:fs')
const { dirname, join } = require('node:path')

/** The rooms of src/, from the ground: each may import those before it (docs/architecture.md). */
const rooms = [
  'lib',
  'interface',
  'files',
  'service',
  'project',
  'events',
  'sandbox',
  'scenario',
  'calls',
  'relay',
  'web',
  'library',
  'cli',
]

const either = names => `(${names.join('|')})`

/** What is imported past a door, and why. */
const pastDoors = [
  // Types that the page consists of: a browser cannot load the rest.
  'calls/batch/run/run-events\\.ts',
  'events/conversation/(changes|read-outcome)\\.ts',
  'events/forward/delivery\\.ts',
  'events/transcript/(call-(words|timeline)\\.ts|timeline(-drawing\\.ts|\\.css))',
  // Schemas, for code that needs nothing else.
  '.+[/-]schemas?\\.ts',
  // A command that checks files, or makes them from calls, loads the rest of the room for none.
  'scenario/(load/load-tests|record/call-recorder)\\.ts',
  // The package has two entries, and `sandbox exec` needs a part.
  'library/(sandbox|apply-project)\\.ts',
].map(path => `^src/${path}`)

const directions = rooms.map((room, index) => ({
  name: `${room}-looks-down`,
  comment: `src/${room}/ does not know the rooms above it`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: `^src/${either([...rooms.slice(index + 1).map(above => `${above}/`), 'main\\.ts$'])}`,
  },
}))

/** Folders with an index.ts, at any depth: from outside, only it is imported, or that of a folder in it. */
const doors = readdirSync(join(__dirname, 'src'), { recursive: true })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path.endsWith('/index.ts'))
  .map(path => dirname(path))

const byDoors = doors.map(folder => ({
  name: `${folder.replaceAll('/', '-')}-by-its-door`,
  comment: `import from src/${folder}/index.ts`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${folder}/` },
  to: { path: `^src/${folder}/`, pathNot: ['/index\\.ts$', ...pastDoors] },
}))

/** Folders with a door that are below the other files of their room instead of above them. */
const ground = ['sandbox/model']

/** A folder with a door in another is above or below the files beside it: together they would be a circle. */
const nested = doors
  .filter(folder => doors.some(outer => folder.startsWith(`${outer}/`)))
  .map(folder => {
    const inner = { path: `^src/${folder}/` }
    const beside = { path: `^src/${dirname(folder)}/[^/]+$` }
    const isGround = ground.includes(folder)
    return {
      name: `${folder.replaceAll('/', '-')}-${isGround ? 'below' : 'above'}-its-room`,
      comment: `src/${folder}/ ${isGround ? 'does not import' : 'is not imported by'} the files beside it`,
      severity: 'error',
      from: isGround ? inner : beside,
      to: isGround ? beside : inner,
    }
  })

const missing = rooms.find(room => !existsSync(join(__dirname, 'src', room)))
if (missing !== undefined) throw new Error(`src/${missing} does not exist`)

module.exports = {
  forbidden: [
    ...directions,
    ...byDoors,
    ...nested,
    {
      name: 'no-other-rooms',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: `^src/(main\\.ts$|text-modules\\.d\\.ts$|${either(rooms)}/)` },
    },
    {
      name: 'call-engine-is-pure',
      comment: 'no clock, no input or output, nothing of the sandbox above it',
      severity: 'error',
      from: { path: '^src/sandbox/engine/' },
      to: {
        pathNot: [
          '^src/sandbox/engine/',
          '^src/(interface|files/formats)/',
          '^src/lib/(json\\.|text/)',
          '^node_modules/zod/',
        ],
      },
    },
    {
      name: 'sandbox-and-client-are-apart',
      comment: 'two implementations of one interface test each other',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/(service|project|events)/' },
    },
    {
      name: 'shell-does-not-know-commands',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: '^src/cli/commands/' },
      to: { path: '^src/(cli/commands|library)/' },
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
