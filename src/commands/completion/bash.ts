import type { CommandDescription, Tree } from './describe.ts'
import type { Value } from './values.ts'

/** The completion script for bash 3.2 and later; needs nothing of the bash-completion package. */
export function bashScript({ program, globals, commands }: Tree): string {
  const name = `_${program}`
  const globalFlags = globals.flatMap(({ names }) => names)
  return `# Completion of ${program} for bash. Generated; change the commands instead, then: npm run completions
#
# Install:
#   mkdir -p ~/.local/share/bash-completion/completions
#   ${program} completion bash > ~/.local/share/bash-completion/completions/${program}
# Without the package bash-completion, source that file in ~/.bashrc:
#   source ~/.local/share/bash-completion/completions/${program}

# What can follow a command: sets commands and flags.
${name}_command() {
  commands=() flags=()
  case $1 in
${commands.map(command => commandCase(command, globalFlags)).join('\n')}
  esac
}

# What the value of a flag or the argument at a place is: sets kind, choices and source. Fails where there is none.
${name}_value() {
  kind='' choices=() source=''
  case $1 in
${valueCases({ program, globals, commands }).join('\n')}
    *) return 1 ;;
  esac
}

# The words up to the cursor. Bash cuts them at COMP_WORDBREAKS, so \`--flag=value\` and \`a:b\` are put together again.
${name}_words() {
  local i word blank line=\${COMP_LINE-} left=\${COMP_POINT:-0}
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]-} blank=
    if [[ -n \${COMP_LINE-} ]]; then
      while [[ $line == [[:blank:]]* ]]; do
        line=\${line:1} left=$((left - 1)) blank=1
      done
      line=\${line:\${#word}}
      # The cursor may stand inside the last word.
      if ((i == COMP_CWORD && left >= 0 && left < \${#word})); then word=\${word:0:left}; fi
      left=$((left - \${#word}))
    fi
    if ((i > 1)) && [[ -z $blank ]] && [[ $word == [=:]* || \${COMP_WORDS[i-1]} == *[=:] ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
}

${name}() {
  local words kind choices source commands flags candidates=()
  local i word path='' position=1 literal='' pending='' known command
  ${name}_words
  local last=$((\${#words[@]} - 1))
  for ((i = 1; i < last; i++)); do
    word=\${words[i]}
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -n $literal || $word != -?* ]]; then
      ${name}_command "$path"
      known=''
      if ((position == 1)); then
        for command in \${commands[@]+"\${commands[@]}"}; do
          if [[ $command == "$word" ]]; then known=1; fi
        done
      fi
      if [[ -n $known ]]; then path=\${path:+$path }$word; else position=$((position + 1)); fi
    elif [[ $word == -- ]]; then
      literal=1
    elif [[ $word != *=* ]] && ${name}_value "$path $word"; then
      pending="$path $word"
    fi
  done

  local whole=\${words[last]} prefix=''
  local current=$whole
  kind='' choices=() source=''
  ${name}_command "$path"
  if [[ -n $pending ]]; then
    ${name}_value "$pending"
  elif [[ -z $literal && $current == --*=* ]]; then
    prefix=\${current%%=*}=
    current=\${current#*=}
    ${name}_value "$path \${prefix%=}" || kind=text
  elif [[ -z $literal && $current == -* ]]; then
    kind=flags
  elif ((position == 1 && \${#commands[@]} > 0)); then
    kind=commands
  elif ! ${name}_value "$path $position"; then
    kind=flags
    if [[ -n $literal ]]; then kind=text; fi
  fi

  local line
  case $kind in
    choices) candidates=("\${choices[@]}") ;;
    commands) candidates=("\${commands[@]}") ;;
    flags) candidates=(\${flags[@]+"\${flags[@]}"}) ;;
    dynamic | dynamic-file)
      while IFS= read -r line; do candidates+=("\${line%%$'\\t'*}"); done < <(${program} __complete "$source" -- "$current" 2>/dev/null </dev/null)
      # More is to be typed after these.
      if [[ $kind == dynamic && \${#candidates[@]} -gt 0 && "\${candidates[*]}" != *[!=/]" "* && "\${candidates[*]}" == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
      fi
      ;;
    file) while IFS= read -r line; do candidates+=("$line"); done < <(compgen -f -- "$current") ;;
    folder) while IFS= read -r line; do candidates+=("$line"); done < <(compgen -d -- "$current") ;;
  esac
  if [[ $kind == dynamic-file ]]; then
    while IFS= read -r line; do candidates+=("$line"); done < <(compgen -f -- "$current")
    kind=file
  fi

  # Readline replaces only what stands after the last word break.
  local mark broken=''
  for mark in = :; do
    if [[ \${COMP_WORDBREAKS-} == *"$mark"* && $whole == *"$mark"* ]]; then
      line=\${whole%"$mark"*}$mark
      if ((\${#line} > \${#broken})); then broken=$line; fi
    fi
  done
  COMPREPLY=()
  local candidate quoted
  for candidate in \${candidates[@]+"\${candidates[@]}"}; do
    quoted=$candidate
    # Readline quotes file names itself.
    if [[ $kind != file && $kind != folder && $candidate == *[!A-Za-z0-9_,./:=@%+-]* ]]; then printf -v quoted %q "$candidate"; fi
    if [[ $candidate == "$current"* || $quoted == "$current"* ]]; then
      quoted=$prefix$quoted
      COMPREPLY+=("\${quoted#"$broken"}")
    fi
  done
  # Bash 3.2 has no compopt; it then offers files where nothing else fits.
  case $kind in
    file | folder) compopt -o filenames 2>/dev/null ;;
    *) compopt +o default +o bashdefault 2>/dev/null ;;
  esac
  return 0
}

complete -o bashdefault -o default -F ${name} ${program}
`
}

function commandCase(
  { path, subcommands, options }: CommandDescription,
  globalFlags: readonly string[],
): string {
  const flags = [...options.flatMap(({ names }) => names), ...globalFlags]
  return [
    `    ${quote(path.join(' '))})`,
    ...(subcommands.length === 0 ? [] : [`      commands=(${list(subcommands.map(({ name }) => name))})`]),
    `      flags=(${list(flags)})`,
    '      ;;',
  ].join('\n')
}

/** Commands' own flags stand before the global ones: the first match counts. */
function valueCases({ globals, commands }: Tree): string[] {
  const own = commands.flatMap(({ path, options, arguments: places }) => [
    ...options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : [valueCase(names.map(name => quote(`${path.join(' ')} ${name}`)).join(' | '), value)],
    ),
    ...places.map(({ repeats, value }, index) => {
      const place = repeats ? `${quote(`${path.join(' ')} `)}[0-9]*` : quote(`${path.join(' ')} ${index + 1}`)
      return valueCase(place, value)
    }),
  ])
  const shared = globals.flatMap(({ names, value }) =>
    value === undefined ? [] : [valueCase(names.map(name => `*${quote(` ${name}`)}`).join(' | '), value)],
  )
  return [...own, ...shared]
}

function valueCase(pattern: string, value: Value): string {
  return `    ${pattern}) kind=${kindOf(value)} ;;`
}

function kindOf(value: Value): string {
  if (value.kind === 'choices') return `choices choices=(${list(value.choices)})`
  if (value.kind === 'dynamic') return `dynamic${value.files ? '-file' : ''} source=${value.source}`
  return value.kind
}

function list(words: readonly string[]): string {
  return words.map(word => (/^[\w-]+$/.test(word) ? word : quote(word))).join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
