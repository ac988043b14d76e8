# Types $1 and a tab into an interactive zsh, and prints what came out of its terminal.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source $CALLYARD_ZSH_SHELL'
zpty -r shell output $'*READY\r\n*'
zpty -w -n shell "$1"$'\t'
zpty -r shell output $'*\x03*'
print -r -- "$output"
zpty -d shell
