# Calls the completion function as readline does: $1 is the script, the rest the words as readline cuts them.
set -u
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_callyard callyard "${COMP_WORDS[COMP_CWORD]}" ''
if ((${#COMPREPLY[@]} > 0)); then printf '%s\n' "${COMPREPLY[@]}"; fi
