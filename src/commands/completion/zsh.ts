import type { CommandDescription, OptionDescription, Tree } from './describe.ts'
import type { Value } from './values.ts'

/** The completion script for zsh: one function per command, built on _arguments. */
export function zshScript(tree: Tree): string {
  const { program, globals, commands } = tree
  const name = `_${program}`
  return `#compdef ${program}
# Completion of ${program} for zsh. Generated; change the commands instead, then: npm run completions
#
# Install into a folder of your fpath:
#   mkdir -p ~/.zfunc
#   ${program} completion zsh > ~/.zfunc/${name}
# and in ~/.zshrc, before compinit:
#   fpath=(~/.zfunc $fpath)
#   autoload -Uz compinit && compinit

# Offers what ${program} knows: the last argument names it, those before it are for compadd.
${name}_values() {
  local source=\${@[-1]} line value
  local -a whole begun shown_whole shown_begun
  for line in "\${(@f)$(${program} __complete "$source" -- "\${(Q)PREFIX}" 2>/dev/null </dev/null)}"; do
    value=\${line%%$'\\t'*}
    [[ -n $value ]] || continue
    line=\${line/$'\\t'/  -- }
    # More is to be typed after these: no space follows.
    if [[ $value == *[=/] ]]; then
      begun+=("$value") shown_begun+=("$line")
    else
      whole+=("$value") shown_whole+=("$line")
    fi
  done
  local ret=1
  local -a rows
  if [[ "$shown_whole $shown_begun" == *'  -- '* ]]; then rows=(-l); fi
  ((\${#whole})) && compadd "\${@[1,-2]}" $rows -d shown_whole -a whole && ret=0
  ((\${#begun})) && compadd "\${@[1,-2]}" -S '' $rows -d shown_begun -a begun && ret=0
  return ret
}

${name}_values_or_files() {
  local ret=1
  ${name}_values "$@" && ret=0
  _files "\${@[1,-2]}" && ret=0
  return ret
}

# What every command takes.
typeset -ga ${name}_globals=(
${globals
  .flatMap(option => optionSpecs(option, program))
  .map(spec => `  ${spec}`)
  .join('\n')}
)

${commands.map(command => commandFunction(command, program)).join('\n\n')}

if [ "$funcstack[1]" = ${quote(name)} ]; then
  ${name} "$@"
else
  compdef ${name} ${program}
fi
`
}

function commandFunction(command: CommandDescription, program: string): string {
  const { path, subcommands, options } = command
  const name = [`_${program}`, ...path].join('__')
  const specs = options.flatMap(option => optionSpecs(option, program))
  if (subcommands.length === 0) {
    return `${name}() {\n  ${callArguments(program, [...specs, ...argumentSpecs(command, program)])}\n}`
  }
  return `${name}() {
  local context curcontext=$curcontext state state_descr line ret=1
  typeset -A opt_args
  ${callArguments(program, [...specs, quote('1: :->command'), quote('*::: :->rest')])} && ret=0
  case $state in
    command)
      local -a commands=(
${subcommands.map(({ name: word, description }) => `        ${quote(`${escapeColons(word)}:${escapeBackslashes(description)}`)}`).join('\n')}
      )
      _describe -t commands command commands && ret=0
      ;;
    rest)
      # The called function reads the words that belong to its own command.
      words=("$line[1]" "\${words[@]}")
      ((CURRENT += 1))
      curcontext=\${curcontext%:*}-$line[1]:
      if (($+functions[${name}__$line[1]])); then
        ${name}__$line[1] && ret=0
      fi
      ;;
  esac
  return ret
}`
}

/** Called without a function around it: _arguments hands the words of the rest to its caller alone. */
function callArguments(program: string, specs: readonly string[]): string {
  return ['_arguments -S -C', ...specs, `"\${_${program}_globals[@]}"`].join(' \\\n    ')
}

function optionSpecs({ names, description, value }: OptionDescription, program: string): string[] {
  const others = names.length > 1 ? `(${names.join(' ')})` : ''
  const text = description.replace(/[\\[\]:]/g, '\\$&')
  return names.map(name => {
    if (value === undefined) return quote(`${others}${name}[${text}]`)
    const long = name.startsWith('--') ? '=' : '+'
    // A flag with a value may be repeated; commander keeps the last one or collects them.
    return quote(`*${name}${long}[${text}]:${escapeColons(value.placeholder)}:${action(value, program)}`)
  })
}

function argumentSpecs({ arguments: places }: CommandDescription, program: string): string[] {
  return places.map(({ name, required, repeats, value }, index) =>
    quote(
      `${repeats ? '*' : index + 1}${required || repeats ? ':' : '::'}${escapeColons(name)}:${action(value, program)}`,
    ),
  )
}

function action(value: Value, program: string): string {
  if (value.kind === 'choices') {
    return `(${value.choices.map(choice => choice.replace(/[^\w./-]/g, '\\$&')).join(' ')})`
  }
  if (value.kind === 'dynamic') return `_${program}_values${value.files ? '_or_files' : ''} ${value.source}`
  return { text: ' ', file: '_files', folder: '_files -/' }[value.kind]
}

function escapeColons(text: string): string {
  return escapeBackslashes(text).replaceAll(':', '\\:')
}

function escapeBackslashes(text: string): string {
  return text.replaceAll('\\', '\\\\')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
