# Completion of callyard for fish 3.0 and later.
#
# Install:
#   mkdir -p ~/.config/fish/completions
#   callyard completion fish > ~/.config/fish/completions/callyard.fish

function __callyard_complete
    set -l current (commandline -ct)
    set -l before (commandline -opc)
    set -e before[1]
    set -l answer (callyard __complete --at="$current" -- $before 2>/dev/null </dev/null)
    # The last line says what else is wanted; the others are offers, with a tab before their description.
    set -l wants $answer[-1]
    set -e answer[-1]
    # Fish completes files for a command that it does not know.
    switch "$wants"
        case ':files*'
            set -a answer (complete -C "__callyard_files $current")
        case ':folders*'
            set -a answer (complete -C "__callyard_files $current" | string match '*/')
    end
    string join \n -- $answer
end

complete -c callyard -f -a '(__callyard_complete)'
