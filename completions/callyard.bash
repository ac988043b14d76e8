# Completion of callyard for bash 3.2 and later; needs nothing of the package bash-completion.
#
# Install:
#   mkdir -p ~/.local/share/bash-completion/completions
#   callyard completion bash > ~/.local/share/bash-completion/completions/callyard
# Without the package bash-completion, source that file in ~/.bashrc:
#   source ~/.local/share/bash-completion/completions/callyard

# The words up to the cursor. Bash cuts them at COMP_WORDBREAKS, so `--flag=value` and `a:b` are put together again.
_callyard_words() {
  local i word blank line=${COMP_LINE-} left=${COMP_POINT:-0}
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]-} blank=
    if [[ -n ${COMP_LINE-} ]]; then
      while [[ $line == [[:blank:]]* ]]; do
        line=${line:1} left=$((left - 1)) blank=1
      done
      line=${line:${#word}}
      # The cursor may stand inside the last word.
      if ((i == COMP_CWORD && left >= 0 && left < ${#word})); then word=${word:0:left}; fi
      left=$((left - ${#word}))
    fi
    if ((i > 1)) && [[ -z $blank ]] && [[ $word == [=:]* || ${COMP_WORDS[i-1]} == *[=:] ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
}

_callyard() {
  local words line mark broken='' prefix='' wants='' offers=() files=()
  _callyard_words
  local last=$((${#words[@]} - 1))
  local current=${words[last]}
  # The last line of the answer says what else is wanted; the others are offers, with a tab before their description.
  while IFS= read -r line; do
    if [[ -n $wants ]]; then offers+=("${wants%%$'\t'*}"); fi
    wants=$line
  done < <(callyard __complete --at="$current" -- "${words[@]:1:last-1}" 2>/dev/null </dev/null)

  # Readline replaces only what stands after the last word break.
  for mark in = :; do
    if [[ ${COMP_WORDBREAKS-} == *"$mark"* && $current == *"$mark"* ]]; then
      line=${current%"$mark"*}$mark
      if ((${#line} > ${#broken})); then broken=$line; fi
    fi
  done
  if [[ $current == --*=* ]]; then prefix=${current%%=*}=; fi
  # Bash 3.2 has no compopt; it then offers files where nothing else fits.
  case $wants in
    :files*) mark=-f ;;
    :folders*) mark=-d ;;
    *) mark='' ;;
  esac
  if [[ -n $mark ]]; then
    while IFS= read -r line; do files+=("$prefix$line"); done < <(compgen $mark -- "${current#"$prefix"}")
  fi
  if ((${#files[@]} > 0)); then
    offers+=("${files[@]}")
    # Readline then quotes the offers itself, but of names that are not files, only in part.
    compopt -o filenames 2>/dev/null
  elif [[ -z $mark ]]; then
    compopt +o default +o bashdefault 2>/dev/null
  fi
  if [[ $wants == *nospace ]]; then compopt -o nospace 2>/dev/null; fi
  COMPREPLY=()
  for line in ${offers[@]+"${offers[@]}"}; do
    if ((${#files[@]} == 0)) && [[ $line == *[!A-Za-z0-9_,./:=@%+-]* ]]; then printf -v line %q "$line"; fi
    COMPREPLY+=("${line#"$broken"}")
  done
}

complete -o bashdefault -o default -F _callyard callyard
