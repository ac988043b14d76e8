# Completion of callwright for fish 3.0 and later.
#
# Install:
#   mkdir -p ~/.config/fish/completions
#   callwright completion fish > ~/.config/fish/completions/callwright.fish

function __callwright_complete
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    set -e before[1]
    set -l answer (callwright __complete --at="$current" -- $before 2>/dev/null </dev/null)
    # The last line says what else is wanted; the others are offers, with a tab before their description.
    set -l wants $answer[-1]
    set -e answer[-1]
    # Fish completes files for a command that it does not know.
    switch "$wants"
        case ':files*'
            set -a answer (complete -C "__callwright_files $current")
        case ':folders*'
            set -a answer (complete -C "__callwright_files $current" | string match '*/')
    end
    string join \n -- $answer
end

complete -c callwright -f -a '(__callwright_complete)'
