import type { ForwardErrors } from '../forward/index.ts'
import { byCase } from '../lib/by-case.ts'
import type { DocumentErrors } from '../lib/fs/private-file.ts'
import type { CommandProblem } from '../lib/process/command-line.ts'
import { beginningHint, meantHint } from '../lib/text/did-you-mean.ts'
import type { Clue } from '../lib/text/wanted-words.ts'
import type { RecordingErrors } from '../recordings/index.ts'
import type { PlaceProblem, TriggerErrors, UnknownField } from '../trigger/index.ts'
import type { FilterFinding, WebhookErrors } from '../webhook/index.ts'
import type { Messages, Words } from './words.ts'

const anotherFile = 'give --record another file, in a folder that exists and can be written to'
const checkFolder = 'check the folder, its permissions and the free space'

export const webhookMessages: Messages<
  RecordingErrors & ForwardErrors & TriggerErrors & WebhookErrors & DocumentErrors
> = {
  'cannot-record': ({ path, reason }) => ({
    message: `cannot record into ${path}: ${reason}`,
    hint: anotherFile,
  }),
  'recorded-elsewhere': ({ path, pid }) => ({
    message: `another webhook tail${pid === undefined ? '' : ` (process ${pid})`} already records into ${path}`,
    hint: 'stop it, or give this one a file of its own with --record',
  }),
  'not-a-recording': ({ path }) => ({
    message: `${path} is not a recording`,
    hint: 'callwright webhook tail --record <file> makes one',
  }),
  'recording-unreadable': ({ path, reason }) => ({
    message: `the recording ${path} cannot be read: ${reason}`,
    hint: 'check the path and the permissions of the file',
  }),
  'recording-too-new': ({ version }) => ({
    message: `the recording is of version ${version}, of which only 1 can be read`,
    hint: 'it was made by a later callwright; use that one',
  }),
  'nothing-selected': ({ events, absent }) => ({
    message: `none of the ${events} recorded events matches`,
    hint:
      absent === undefined
        ? 'together, --call, --type, --from and --until leave nothing'
        : clueWords(absent, `${absent.filter}s in the recording`),
  }),
  'ambiguous-call': ({ beginning, ids }) => ({
    message: `${ids.length} recorded calls have ids that begin with ${beginning}`,
    hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id, { short: true }),
  }),
  'events-not-kept': ({ folder, reason }) => ({
    message: `events cannot be kept in ${folder}: ${reason}`,
    hint: checkFolder,
  }),
  'forwarded-elsewhere': ({ path }) => ({ message: `another process forwards what is kept at ${path}` }),
  'port-in-use': ({ host, port }) => ({
    message: `port ${port} on ${host} is in use`,
    hint: 'end the other program, or give another --port; --port 0 picks a free one',
  }),
  'cannot-listen': ({ host, port, reason, isPrivileged }) => ({
    message: `cannot listen on ${host} port ${port}: ${reason}`,
    hint: isPrivileged ? 'ports below 1024 need privileges; give another --port' : 'check --host',
  }),
  'command-unreadable': ({ runs, problem, isWindows }) => ({
    message: `--${runs}: ${problemText[problem.code](problem.text?.replace('\n', '(line end)') ?? '')}`,
    hint:
      problem.code === 'no-program'
        ? 'give the program and its arguments'
        : `put it into quotes if it is meant as it is; for a shell, ${forShell(runs, isWindows)}`,
  }),
  'exec-not-found': ({ program }) => ({
    message: `the program ${program} of --exec was not found`,
    hint: 'give its path, or a name that is found in PATH; --exec-shell takes what a shell has',
  }),
  'forwards-to-itself': ({ target }) => ({
    message: `--forward ${target} is this listener itself`,
    hint: 'give the address of the server that events are for',
  }),
  'no-tunnel-program': ({ known }) => ({
    message: 'no tunnel program that --tunnel knows is installed',
    hint: installOne(known),
  }),
  'tunnel-not-found': ({ program, known }) => ({
    message: `the tunnel program ${program} was not found`,
    hint: installOne(known),
  }),
  'tunnel-not-started': ({ program, reason }) => ({
    message: `the tunnel program ${program} cannot be started: ${reason}`,
    hint: 'can you run it yourself?',
  }),
  'tunnel-without-url': ({ program, seconds }) => ({
    message: `${program} gave no public URL within ${seconds} s`,
    hint: tunnelUrl,
  }),
  'tunnel-ends': ({ program, reason }) => ({
    message: `${program} ends at once: ${reason}`,
    hint: tunnelUrl,
  }),
  'tunnel-closed': ({ program }) => ({
    message: `the tunnel was closed before ${program} gave a public URL`,
  }),
  'field-not-there': ({ path }) => ({
    message: `--unset ${path}: no event has it`,
    hint: '--dry-run prints the events',
  }),
  'field-not-made': ({ path, problem, at }) => ({
    message: `--set ${path}: ${notMade(problem, at)}`,
    hint: /^messages(?:$|[.[])/.test(path) ? '--messages says how many there are' : undefined,
  }),
  'path-outside-message': ({ path, inner }) => ({
    message: `--set ${path}: paths begin inside the message`,
    hint: `leave the first name out: ${inner}`,
  }),
  'field-unknown': ({ path, problem }) => {
    const { message, hint } = unknownField(problem)
    return {
      message: `--set ${path}: ${message}`,
      hint: `${hint}${hint.endsWith('?') ? '' : ';'} --allow-unknown sends it as it is`,
    }
  },
  'document-exists': ({ path }) => ({
    message: `${path} is there already`,
    hint: 'give another name, or --force to replace it',
  }),
  'document-no-file': ({ path }) => ({
    message: `${path} is no plain file, and is not replaced`,
    hint: 'give another name',
  }),
  'document-not-written': ({ path, reason }) => ({
    message: `cannot write ${path}: ${reason}`,
    hint: checkFolder,
  }),
}

function notMade(problem: PlaceProblem, at: string): string {
  if (problem === 'no-list') return `${at} is no list`
  if (problem === 'no-fields') return `${at} has no fields`
  const { length } = problem
  return `${at} ${length === 0 ? 'is empty' : `ends at [${length - 1}]`}, so [${length}] is the next`
}

/** The fields that a hint names; a longer list is not read. */
const maxNamed = 15

function unknownField(problem: UnknownField): { readonly message: string; readonly hint: string } {
  const { is, at } = problem
  if (is === 'no-list') return { message: `${at} is no list`, hint: 'leave the index out' }
  if (is === 'list') return { message: `${at} is a list`, hint: `give an index: ${at}[0]${problem.rest}` }
  const { name, near, names } = problem
  return {
    message: `${at === '' ? 'a message' : at} has no field ${name}`,
    hint:
      meantHint(near) ??
      `it has ${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ', …' : ''}`,
  }
}

const problemText: Readonly<Record<CommandProblem['code'], (part: string) => string>> = {
  assignment: () => 'only a shell sets a variable in front of the command',
  'backslash-at-end': () => 'a backslash stands at the end',
  comment: () => '# begins a comment for a shell',
  escape: part => `${part} is for a shell`,
  home: () => 'only a shell reads ~ as a folder',
  'line-goes-on': () => 'a line that goes on after a backslash is for a shell',
  'no-program': () => 'the command names no program',
  'open-quote': part => `a quote ${part} is not closed`,
  operator: part => `the operator ${part} is for a shell`,
  pattern: part => `${part} begins a pattern, which is for a shell`,
  'several-lines': () => 'a command is one line of words with spaces between them',
  substitution: () => '` is for a shell',
  unreadable: () => 'the command cannot be read',
  variable: part => `${part} begins a variable, which is for a shell`,
  'zero-byte': () => 'a command cannot hold a zero byte',
}

function forShell(runs: 'exec' | 'tunnel', isWindows: boolean): string {
  if (runs === 'exec') return 'give --exec-shell too'
  return isWindows ? 'give cmd /c "…" as the command' : "give sh -c '…' as the command"
}

function installOne(known: readonly string[]): string {
  return (
    `install one of ${known.join(', ')} and give --tunnel <name>, or name your own program: ` +
    "--tunnel '<command>' with {port} or {url} in it; a URL that you have already goes into --public-url"
  )
}

const tunnelUrl = 'does it work by itself? --tunnel-url <pattern> finds the URL in its output'

/** Returns the message for a filter. Ids and types are untrusted. */
export function filterWords(finding: FilterFinding): Words {
  return byCase('kind', finding, {
    doubtful: ({ filter, word, near }) => ({
      message: `--${filter} ${word} is not a ${filter} that callwright knows`,
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
  const there = seen.length === 0 ? undefined : `${what}: ${seen.join(', ')}${more ? ', …' : ''}`
  return meantHint(near) ?? there
}
