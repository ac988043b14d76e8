# Read by the interactive zsh that zsh-capture.zsh starts: the real completion system, which also reports each match.
PROMPT= RPROMPT=
fpath=($CALLYARD_COMPLETIONS $fpath)
# The dump was made once for all lines: reading every function anew takes most of the time.
autoload -Uz compinit && compinit -u -C -d $CALLYARD_ZSH_DUMP
compadd() {
  # -O, -A and -D fill arrays for the completion system itself; nothing is offered then.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a matches
  local match
  builtin compadd -A matches "$@"
  for match in $matches; do print -r -- $'\x02'$match; done
  builtin compadd "$@"
}
report() {
  zle capture
  print -n $'\x03'
}
zle -C capture complete-word _main_complete
zle -N report
bindkey '^I' report
print READY
