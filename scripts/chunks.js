import { relative, sep } from 'node:path'

/** A chunk: files and folders, relative to the root of the project; those of a higher priority are left out of others. */
const chunks = [
  {
    name: 'entry',
    // The entry itself.
    priority: 2,
    modules: [
      'package.json',
      'src/cli/shell/exit-codes.ts',
      'src/cli/shell/host.ts',
      'src/cli/shell/output/create-prompts.ts',
      'src/cli/shell/output/terminal.ts',
      'src/lib/ci.ts',
      'src/lib/clock.ts',
      'src/lib/error.ts',
      'src/lib/fs/user-folders.ts',
      'src/lib/real-timers.ts',
      'src/library/public-types.ts',
    ],
  },
  {
    name: 'compiled-code',
    modules: [
      'src/lib/process/compiled-code.ts',
      'src/lib/process/compile-cache.ts',
      'src/lib/process/skip-optimizer.ts',
      'src/lib/fs/unused-folders.ts',
    ],
  },
  {
    name: 'library',
    modules: [
      'src/library/errors.ts',
      'src/library/option-schemas.ts',
      'src/library/process-hold.ts',
      'src/library/process-rules.ts',
    ],
  },
  {
    name: 'base',
    // Every command.
    priority: 1,
    modules: [
      '\0commander:@commander-js/extra-typings',
      'node_modules/commander/',
      'node_modules/@discoveryjs/json-ext/',
      'src/cli/shell/advice.ts',
      'src/cli/shell/cli-command.ts',
      'src/cli/shell/command-hints.ts',
      'src/cli/shell/create-context.ts',
      'src/cli/shell/env-files.ts',
      'src/cli/shell/flags/flag.ts',
      'src/cli/shell/flags/option-parsers.ts',
      'src/cli/shell/help-topics.ts',
      'src/cli/shell/hints.ts',
      'src/cli/shell/project-hints.ts',
      'src/cli/shell/output/create-output.ts',
      'src/cli/shell/output/failure.ts',
      'src/cli/shell/render/diagnostics.ts',
      'src/cli/commands/help/command-help.ts',
      'src/cli/commands/help/help.ts',
      'src/cli/commands/program.ts',
      'src/cli/commands/run.ts',
      'src/lib/text/json-document.ts',
      'src/service/profile/index.ts',
      'src/service/profile/store.ts',
    ],
  },
  {
    name: 'shared',
    // Every command, and the library, which does not need the parser of the command line.
    priority: 1,
    modules: [
      'node_modules/fastest-levenshtein/',
      'src/service/api/api-hints.ts',
      'src/service/api/base-url.ts',
      'src/service/api/index.ts',
      'src/service/api/redact.ts',
      'src/service/api/service-message.ts',
      'src/interface/finding.ts',
      'src/interface/words.ts',
      'src/lib/by-case.ts',
      'src/lib/drop-oldest.ts',
      'src/lib/fs/read-file.ts',
      'src/lib/group-by.ts',
      'src/lib/hash.ts',
      'src/lib/json.ts',
      'src/lib/lazy.ts',
      'src/lib/net/address.ts',
      'src/lib/net/secrets.ts',
      'src/lib/text/chunks.ts',
      'src/lib/text/count.ts',
      'src/lib/text/did-you-mean.ts',
      'src/lib/text/escape.ts',
      'src/lib/text/prefix-index.ts',
      'src/lib/text/text.ts',
      'src/lib/text/truncate.ts',
      'src/files/source/diagnostic.ts',
    ],
  },
  {
    name: 'small',
    // Small modules without imports of libraries: one file is found and read sooner than ten.
    modules: [
      'node_modules/yocto-queue/',
      'node_modules/p-limit/',
      'src/lib/fs/line-file.ts',
      'src/lib/net/listen.ts',
      'src/lib/net/open-bodies.ts',
      'src/lib/queue.ts',
      'src/lib/text/date-time.ts',
      'src/lib/text/speech-time.ts',
      'src/lib/text/words.ts',
      'src/project/plan/actions.ts',
      'src/scenario/verdict.ts',
      'src/files/source/conflict-marker.ts',
      'src/files/source/walk-folder.ts',
    ],
  },
  {
    name: 'sandbox',
    // The sandbox without its HTTP server, which a run of tests does not load; and what else creates the files of a project in it.
    modules: [
      'src/interface/phone-number.ts',
      'src/interface/problem.ts',
      'src/lib/deterministic.ts',
      'src/sandbox/model/chat-model.ts',
      'src/sandbox/model/lazy-model.ts',
      'src/sandbox/call/calls.ts',
      'src/sandbox/call/webhook-messages.ts',
      'src/sandbox/clock/call-time.ts',
      'src/sandbox/clock/due-list.ts',
      'src/sandbox/clock/sandbox-clock.ts',
      'src/sandbox/clock/world-clock.ts',
      'src/sandbox/engine/call-state.ts',
      'src/sandbox/engine/phone-outcome.ts',
      'src/sandbox/faults/fault-rules.ts',
      'src/sandbox/http/place-call.ts',
      'src/sandbox/http/request-body.ts',
      'src/sandbox/outgoing/json-sender.ts',
      'src/sandbox/records/memory-journal.ts',
      'src/sandbox/records/phone-numbers.ts',
      'src/sandbox/records/problem.ts',
      'src/sandbox/records/records.ts',
      'src/sandbox/records/request-history.ts',
      'src/sandbox/records/resources.ts',
      'src/sandbox/records/snapshot.ts',
      'src/sandbox/records/store.ts',
      'src/sandbox/tools/knowledge.ts',
      'src/sandbox/webhooks/delivery.ts',
      'src/sandbox/webhooks/faults.ts',
      'src/sandbox/webhooks/webhook-history.ts',
      'src/sandbox/world-session.ts',
      'src/sandbox/world.ts',
      'src/sandbox/worlds.ts',
    ],
  },
  {
    name: 'call',
    // What the first call loads.
    modules: [
      'src/lib/text/find-object.ts',
      'src/sandbox/model/chat-wire.ts',
      'src/sandbox/analysis/by-model.ts',
      'src/sandbox/analysis/by-rule.ts',
      'src/sandbox/call/call-config.ts',
      'src/sandbox/call/call-runner.ts',
      'src/sandbox/call/call-session.ts',
      'src/sandbox/call/call-trace.ts',
      'src/sandbox/engine/call-engine.ts',
      'src/sandbox/engine/floor.ts',
      'src/sandbox/engine/speaking.ts',
      'src/sandbox/engine/turn-taking.ts',
      'src/sandbox/reply/match-function-tool.ts',
      'src/sandbox/reply/model-responder.ts',
      'src/sandbox/reply/offline-responder.ts',
      'src/sandbox/reply/prompt.ts',
      'src/sandbox/schema-checks/run-check.ts',
      'src/sandbox/tools/call-tool.ts',
      'src/sandbox/tools/function-tool-record.ts',
      'src/sandbox/tools/function-tool.ts',
      'src/sandbox/tools/predefined-tools.ts',
      'src/sandbox/tools/spoken-values.ts',
      'src/sandbox/tools/tools-of.ts',
    ],
  },
  {
    name: 'validate',
    // What `validate` loads and the library does not need.
    modules: [
      'src/cli/shell/reports/report.ts',
      'src/cli/commands/validate.ts',
      'src/service/profile/locked-key.ts',
      'src/service/profile/rules.ts',
      'src/service/profile/settings.ts',
    ],
  },
  {
    name: 'project-files',
    modules: [
      'src/project/faq/entries.ts',
      'src/project/faq/id-slots.ts',
      'src/project/faq/splice.ts',
      'src/project/resources/load-project.ts',
      'src/project/resources/seed-sandbox.ts',
    ],
  },
  {
    name: 'http',
    modules: ['src/lib/net/http.ts', 'src/lib/net/http-client.ts'],
  },
  {
    name: 'files',
    // Every command that reads a file. A sandbox without a project needs none of them.
    priority: 1,
    modules: [
      'src/files/formats/batch.ts',
      'src/files/formats/guard.ts',
      'src/files/formats/kinds.ts',
      'src/files/formats/project.ts',
      'src/files/formats/scenario.ts',
      'src/project/resources/check-paths.ts',
      'src/project/resources/find-resources.ts',
      'src/files/access/access.ts',
      'src/files/source/check-file.ts',
      'src/files/source/content-size.ts',
      'src/files/source/file-hints.ts',
      'src/files/source/find-files.ts',
      'src/files/source/knowledge-base-file.ts',
      'src/files/source/read-source.ts',
      'src/files/source/read-text.ts',
      'src/files/source/references.ts',
      'src/files/source/template.ts',
    ],
  },
  {
    name: 'check',
    // Schemas of the interface, for everything that checks a value: one chunk loads faster than a dozen.
    modules: ['node_modules/zod/', 'src/interface/', 'src/files/formats/'],
    // Only `schema`, `init` and the sandbox load these.
    except: [
      'node_modules/zod/v4/core/json-schema-processors.js',
      'node_modules/zod/v4/core/to-json-schema.js',
      'src/files/formats/call-observation.ts',
      'src/files/formats/file-schema.ts',
      'src/interface/finding-schema.ts',
      'src/interface/json-schema.ts',
      'src/interface/openapi-document.ts',
      'src/interface/openapi.ts',
      'src/interface/problem.ts',
      'src/interface/responses.ts',
    ],
  },
]

/** Returns the chunks that share modules, for rolldown. The other modules are divided by what loads them. */
export function sharedChunks(root) {
  return chunks.map(({ name, priority, modules, except = [] }) => {
    const isIn = (path, names) => names.some(each => matches(each, path))
    const test = id => isIn(pathOf(id, root), modules) && !isIn(pathOf(id, root), except)
    return { name, priority, test }
  })
}

/**
 * @param {readonly string[]} ids modules of the bundle
 * @throws Error for a name that matches none of them
 */
export function assertChunksMatch(root, ids) {
  const paths = ids.map(id => pathOf(id, root))
  const names = chunks.flatMap(({ modules, except = [] }) => [...modules, ...except])
  const unused = names.filter(name => !paths.some(path => matches(name, path)))
  if (unused.length > 0)
    throw new Error(`scripts/chunks.js names modules that are not in the bundle: ${unused.join(', ')}`)
}

function matches(name, path) {
  return name.endsWith('/') ? path.startsWith(name) : path === name
}

/** Path of a module from the root of the project, which may link the folder of its packages from elsewhere. */
function pathOf(id, root) {
  if (id.startsWith('\0')) return id
  const path = relative(root, id).split(sep).join('/')
  return path.startsWith('../') ? path.slice(Math.max(0, path.indexOf('node_modules/'))) : path
}
