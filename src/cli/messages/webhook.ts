import type { ExecErrors } from '../../events/exec/index.ts'
import type { ForwardErrors } from '../../events/forward/index.ts'
import type { FilterFinding, ReceiverErrors } from '../../events/receive/index.ts'
import type { RecordingErrors } from '../../events/recordings/index.ts'
import type { PlaceProblem, TriggerErrors, UnknownField } from '../../events/trigger/index.ts'
import type { TunnelErrors } from '../../events/tunnel/index.ts'
import { byCase } from '../../lib/by-case.ts'
import type { DocumentErrors } from '../../lib/fs/private-file.ts'
import { beginningHint, meantHint } from '../../lib/text/did-you-mean.ts'
import type { Clue } from '../../lib/text/wanted-words.ts'
import type { Messages, MessageText } from './words.ts'

const checkFolder = 'check the folder, its permissions and free disk space'

export const webhookMessages: Messages<
  RecordingErrors &
    ForwardErrors &
    TriggerErrors &
    ReceiverErrors &
    ExecErrors &
    TunnelErrors &
    DocumentErrors
> = {
  'cannot-record': ({ path, reason }) => ({
    message: `cannot record to ${path}: ${reason}`,
    hint: `use another file, or ${checkFolder}`,
  }),
  'recorded-elsewhere': ({ path, pid }) => ({
    message: `another webhook tail${pid === undefined ? '' : ` (process ${pid})`} is already recording to ${path}`,
    hint: 'stop it, or pass another file to --record',
  }),
  'not-a-recording': ({ path }) => ({
    message: `${path} is not a recording: expected lines of JSON, or lines of JSON compressed with gzip`,
    hint: 'create one: callyard webhook tail --record <file>',
  }),
  'recording-unreadable': ({ path, reason }) => ({
    message: `cannot read recording ${path}: ${reason}`,
    hint: 'check the path and its permissions',
  }),
  'recording-damaged': ({ path, isTruncated }) => ({
    message: `cannot decompress recording ${path}: the gzip data ${isTruncated ? 'ends too early' : 'is damaged'}`,
    hint: 'copy or compress it again; gzip -t checks a file',
  }),
  'recording-too-new': ({ version, supported, file, line }) => ({
    message: `${file === undefined ? '' : `${file}:${line}: `}unsupported recording version ${version} (supported: ${supported})`,
    hint: 'it was written by a newer callyard; upgrade callyard, or record again',
  }),
  'nothing-selected': ({ events, absent }) => ({
    message: `none of the ${events} recorded events match`,
    hint:
      absent === undefined
        ? 'no event matches --call, --type, --from and --until together'
        : clueWords(absent, `${absent.filter}s in the recording`),
  }),
  'ambiguous-call': ({ beginning, ids }) => ({
    message: `${ids.length} recorded calls have ids that start with ${beginning}`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id, { short: true }),
  }),
  'events-not-kept': ({ folder, reason }) => ({
    message: `cannot write events to ${folder}: ${reason}`,
    hint: checkFolder,
  }),
  'forwarded-elsewhere': ({ path }) => ({ message: `another process is forwarding the events in ${path}` }),
  'port-in-use': ({ host, port }) => ({
    message: `port ${port} on ${host} is in use`,
    hint: 'stop the other process, or pass another --port (--port 0 for a free one)',
  }),
  'cannot-listen': ({ host, port, reason, isPrivileged }) => ({
    message: `cannot listen on ${host} port ${port}: ${reason}`,
    hint: isPrivileged ? 'ports below 1024 require privileges; pass another --port' : 'check --host',
  }),
  'exec-not-found': ({ program }) => ({
    message: `--exec: command not found: ${program}`,
    hint: 'pass its path, or a name in PATH',
  }),
  'forwards-to-itself': ({ target }) => ({
    message: `--forward ${target} is this listener itself`,
    hint: 'pass the URL of your server',
  }),
  'no-tunnel-program': ({ known }) => ({
    message: 'no supported tunnel program is installed',
    hint: installOne(known),
  }),
  'tunnel-unknown': ({ program, known }) => ({
    message: `the output of the tunnel program ${program} is not known (known: ${known.join(', ')})`,
    hint: 'pass the pattern of the public URL in its output with --tunnel-url <pattern>, or start it yourself and pass --public-url <url>',
  }),
  'tunnel-pattern': ({ pattern, reason }) => ({
    message: `--tunnel-url ${pattern}: ${reason}`,
    hint: 'use a regular expression in the syntax of RE2, which has no look-around and no back-references',
  }),
  'tunnel-not-found': ({ program, known }) => ({
    message: `the tunnel program ${program} was not found`,
    hint: installOne(known),
  }),
  'tunnel-not-started': ({ program, reason }) => ({
    message: `the tunnel program ${program} ${reason}`,
  }),
  'tunnel-without-url': ({ program, seconds }) => ({
    message: `${program} printed no public URL within ${seconds} s`,
    hint: tunnelUrl,
  }),
  'tunnel-ends': ({ program, reason }) => ({
    message: `${program} exited immediately: ${reason}`,
    hint: tunnelUrl,
  }),
  'tunnel-closed': ({ program }) => ({
    message: `the tunnel was closed before ${program} printed a public URL`,
  }),
  'field-not-there': ({ path }) => ({
    message: `--unset ${path}: no event has this field`,
    hint: 'run with --dry-run to see the events',
  }),
  'field-not-made': ({ path, problem, at }) => ({
    message: `--set ${path}: ${notMade(problem, at)}`,
    hint: /^messages(?:$|[.[])/.test(path) ? 'set the number of messages with --messages' : undefined,
  }),
  'path-outside-message': ({ path, inner }) => ({
    message: `--set ${path}: paths start inside message`,
    hint: `use ${inner}`,
  }),
  'field-unknown': ({ path, problem }) => {
    const { message, hint } = unknownField(problem)
    return {
      message: `--set ${path}: ${message}`,
      hint: `${hint}${hint.endsWith('?') ? '' : ';'} to send it anyway, pass --allow-unknown`,
    }
  },
  'document-exists': ({ path }) => ({
    message: `${path} already exists`,
    hint: 'choose another name, or pass --force to overwrite it',
  }),
  'document-no-file': ({ path }) => ({
    message: `${path} is not a regular file`,
    hint: 'choose another name',
  }),
  'document-not-written': ({ path, reason }) => ({
    message: `cannot write ${path}: ${reason}`,
    hint: checkFolder,
  }),
}

function notMade(problem: PlaceProblem, at: string): string {
  if (problem === 'no-list') return `${at} is not a list`
  if (problem === 'no-fields') return `${at} has no fields`
  const { length } = problem
  return `${at} ${length === 0 ? 'is empty' : `ends at [${length - 1}]`}, so [${length}] is the next`
}

/** The fields that a hint names; a longer list is not read. */
const maxNamed = 15

function unknownField(problem: UnknownField): { readonly message: string; readonly hint: string } {
  const { is, at } = problem
  if (is === 'no-list') return { message: `${at} is not a list`, hint: 'remove the index' }
  if (is === 'list') return { message: `${at} is a list`, hint: `add an index: ${at}[0]${problem.rest}` }
  const { name, near, names } = problem
  return {
    message: `${at === '' ? 'a message' : at} has no field ${name}`,
    hint:
      meantHint(near) ??
      `it has ${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ', …' : ''}`,
  }
}

function installOne(known: readonly string[]): string {
  return (
    `install one of ${known.join(', ')}, or pass your own command: ` +
    "--tunnel '<command>' with {port} or {url}; if you already have a URL, use --public-url"
  )
}

const tunnelUrl = 'try running it yourself; if it prints another URL, pass --tunnel-url <pattern>'

/** Returns the message for a filter. Ids and types are untrusted. */
export function filterWords(finding: FilterFinding): MessageText {
  return byCase('kind', finding, {
    doubtful: ({ filter, word, near }) => ({
      message: `--${filter} ${word} is not a ${filter} that callyard knows`,
      hint: `did you mean ${near}?`,
    }),
    absent(absent) {
      const { what, seen } = names[absent.filter]
      return { message: `no ${what} ${absent.word} came`, hint: clueWords(absent, `${seen} seen`) }
    },
    'nothing-left': () => ({
      message: 'nothing that came is shown',
      hint: 'together, --call, --type, --role and --status leave nothing',
    }),
  })
}

const names = {
  call: { what: 'event of call', seen: 'calls' },
  type: { what: 'event of type', seen: 'types' },
  role: { what: 'message of role', seen: 'roles' },
  status: { what: 'status', seen: 'statuses' },
} as const

/** Returns a suggestion or the available values: `did you mean CC-1?`, `calls seen: CC-1, CC-2`. */
export function clueWords({ near, seen, more }: Clue, what: string): string | undefined {
  const available = seen.length === 0 ? undefined : `${what}: ${seen.join(', ')}${more ? ', …' : ''}`
  return meantHint(near) ?? available
}
