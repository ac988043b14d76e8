import type { CommandDescription, OptionDescription, Tree } from './describe.ts'
import type { Value } from './values.ts'

/** The completion script for fish 3.0 and later. */
export function fishScript({ program, globals, commands }: Tree): string {
  const at = `__${program}_at`
  const valued = [
    ...commands.flatMap(({ path, options }) => valuedFlags(options, path.join(' '))),
    ...valuedFlags(globals, '*'),
  ]
  const paths = commands.flatMap(({ path, subcommands }) =>
    subcommands.map(({ name }) => [...path, name].join(' ')),
  )
  const blocks = commands.map(command => commandLines(command, program)).filter(block => block.length > 0)
  return `# Completion of ${program} for fish. Generated; change the commands instead, then: npm run completions
#
# Install:
#   mkdir -p ~/.config/fish/completions
#   ${program} completion fish > ~/.config/fish/completions/${program}.fish

set -g __${program}_paths \\
${paths.map(path => `    ${quote(path)}`).join(' \\\n')}

# Flags whose value is the next word, after the command that has them; * is every command.
set -g __${program}_valued \\
${valued.map(flag => `    ${quote(flag)}`).join(' \\\n')}

# What ${program} itself knows to offer for the word at the cursor.
function __${program}_values --argument-names source
    ${program} __complete $source -- (commandline -ct | string replace -r '^--[^=]+=' '') 2>/dev/null </dev/null
end

# True when the line so far names this command and, where a place is given, when its argument there is next
# (2: the second one; 2+: the second one and all after it).
function ${at} --argument-names path place
    set -l current ''
    set -l position 1
    set -l skip 0
    set -l literal 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        if test $literal = 0
            switch $word
                case --
                    set literal 1
                    continue
                case '--*=*'
                    continue
                case '-?*'
                    if contains -- "$current $word" $__${program}_valued; or contains -- "* $word" $__${program}_valued
                        set skip 1
                    end
                    continue
            end
        end
        if test $position = 1; and contains -- (string trim -- "$current $word") $__${program}_paths
            set current (string trim -- "$current $word")
        else
            set position (math $position + 1)
        end
    end
    test "$current" = "$path"; or return 1
    switch "$place"
        case ''
            return 0
        case '*+'
            test $position -ge (string replace + '' -- $place)
        case '*'
            test $position = $place
    end
end

complete -c ${program} -f
${globals.map(option => optionLine(option, program)).join('\n')}

${blocks.map(block => block.join('\n')).join('\n\n')}
`
}

function valuedFlags(options: readonly OptionDescription[], path: string): string[] {
  return options.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map(name => `${path} ${name}`),
  )
}

function commandLines(
  { path, subcommands, options, arguments: places }: CommandDescription,
  program: string,
) {
  const condition = (place = '') =>
    `-n ${quote(`__${program}_at ${quote(path.join(' '))}${place === '' ? '' : ` ${place}`}`)}`
  return [
    ...subcommands.map(
      ({ name, description }) =>
        `complete -c ${program} ${condition('1')} -a ${quote(quote(name))} -d ${quote(description)}`,
    ),
    ...options.map(option => optionLine(option, program, condition())),
    ...places
      .map(({ repeats, value }, index) => ({ place: `${index + 1}${repeats ? '+' : ''}`, value }))
      .filter(({ value }) => value.kind !== 'text')
      .map(({ place, value }) => `complete -c ${program} ${condition(place)} ${offer(value, program)}`),
  ]
}

function optionLine(
  { names, description, value }: OptionDescription,
  program: string,
  condition = '',
): string {
  const flags = names.map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const parts = [
    `complete -c ${program}`,
    condition,
    ...flags,
    value === undefined ? '' : value.kind === 'text' ? '-x' : `-r ${offer(value, program)}`,
    `-d ${quote(description)}`,
  ]
  return parts.filter(part => part !== '').join(' ')
}

function offer(value: Value, program: string): string {
  if (value.kind === 'choices') return `-f -a ${quote(value.choices.map(quote).join(' '))}`
  if (value.kind === 'dynamic') {
    return `${value.files ? '-F' : '-f'} -a '(__${program}_values ${value.source})'`
  }
  return {
    text: '',
    file: '-F',
    folder: `-f -a '(__fish_complete_directories (commandline -ct))'`,
  }[value.kind]
}

/** Inside single quotes, fish reads only \\\\ and \\'. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
