import type { CommandDescription, OptionDescription, Tree, Value } from './describe.ts'

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

${name}_profiles() {
  local -a names
  names=(\${(f)"$(${program} profile list --names 2>/dev/null </dev/null)"})
  compadd "$@" -a names
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
  return { text: ' ', file: '_files', folder: '_files -/', profile: `_${program}_profiles` }[value.kind]
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
