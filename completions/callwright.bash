# Completion of callwright for bash. Generated; change the commands instead, then: npm run completions
#
# Install:
#   mkdir -p ~/.local/share/bash-completion/completions
#   callwright completion bash > ~/.local/share/bash-completion/completions/callwright
# Without the package bash-completion, source that file in ~/.bashrc:
#   source ~/.local/share/bash-completion/completions/callwright

# What can follow a command: sets commands and flags.
_callwright_command() {
  commands=() flags=()
  case $1 in
    '')
      commands=(demo init plan apply assistant tool faq validate schema call webhook sandbox profile api completion help)
      flags=(-V --version --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'demo')
      flags=(--pace --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'init')
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'plan')
      flags=(--target --new-target --out --exit-code --allow-unknown --allow-outside --junit --sarif --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'apply')
      flags=(--yes --target --new-target --parallelism --adopt --forget --junit --allow-unknown --allow-outside --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'assistant')
      commands=(create)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'assistant create')
      flags=(--target --again --allow-unknown --allow-outside --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'tool')
      commands=(create update)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'tool create')
      flags=(--target --again --allow-unknown --allow-outside --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'tool update')
      flags=(--target --allow-unknown --allow-outside --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'faq')
      commands=(push)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'faq push')
      flags=(--kb --target --dry-run --batch-size --adopt-batch --resend-unknown --allow-unknown --allow-outside --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'validate')
      flags=(--kind --allow-unknown --allow-outside --junit --sarif --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'schema')
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'call')
      commands=(start connect chat)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'call start')
      flags=(--from --to --assistant --assistant-id --var --metadata --overrides --target --allow-any-number --allow-unknown --allow-outside --yes --dry-run --show-secrets --follow --port --tunnel --tunnel-url --public-url --compact --timestamps --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'call connect')
      flags=(--phone-number-id --to --customer-name --direction --assistant --assistant-id --var --metadata --overrides --target --allow-any-number --allow-unknown --allow-outside --yes --dry-run --show-secrets --follow --port --tunnel --tunnel-url --public-url --compact --timestamps --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'call chat')
      flags=(--assistant-id --var --overrides --caller --save --data --webhooks --seed --allow-unknown --allow-outside --llm-url --llm-model --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'webhook')
      commands=(tail replay trigger show)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'webhook tail')
      flags=(--host --port --path --require-header --allow-host --max-body --until --tunnel --tunnel-url --public-url --call --type --role --status --compact --timestamps --ui --record --rotate --forward --forward-header --forward-only-new --forward-retries --resume --drain --exec --exec-shell --exec-at-once --exec-timeout --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'webhook replay')
      flags=(--to --speed --call --type --from --until --header --role --status --compact --timestamps --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'webhook trigger')
      flags=(--to --set --unset --allow-unknown --messages --status --call --shape --header --dry-run --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'webhook show')
      flags=(--call --last --all --format --out --force --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'sandbox')
      commands=(start)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'sandbox start')
      flags=(--host --port --pace --data --memory --save-profile --numbers --caller --llm-url --llm-model --fault --fault-http --seed --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'profile')
      commands=(add list show use remove)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'profile add')
      flags=(--api-key-stdin --vocabulary --force --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'profile list')
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'profile show')
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'profile use')
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'profile remove')
      flags=(--yes --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'api')
      flags=(--data -i --include --profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'completion')
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help')
      commands=(demo init plan apply assistant tool faq validate schema call webhook sandbox profile api completion topics flags exit-codes environment files projects faq-push shells chat follow tunnels filters recording forwarding exec replay trigger odd-events transcripts sandbox-replies sandbox-fields sandbox-faults)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help assistant')
      commands=(create)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help tool')
      commands=(create update)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help faq')
      commands=(push)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help call')
      commands=(start connect chat)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help webhook')
      commands=(tail replay trigger show)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help sandbox')
      commands=(start)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
    'help profile')
      commands=(add list show use remove)
      flags=(--profile --base-url --json --quiet --debug --no-input --no-color --timeout -h --help)
      ;;
  esac
}

# What the value of a flag or the argument at a place is: sets kind, choices and source. Fails where there is none.
_callwright_value() {
  kind='' choices=() source=''
  case $1 in
    'demo --pace') kind=text ;;
    'init 1') kind=folder ;;
    'plan --target') kind=dynamic source=target ;;
    'plan --out') kind=file ;;
    'plan --junit') kind=file ;;
    'plan --sarif') kind=file ;;
    'apply --target') kind=dynamic source=target ;;
    'apply --parallelism') kind=text ;;
    'apply --adopt') kind=dynamic source=adopt ;;
    'apply --forget') kind=dynamic source=forget ;;
    'apply --junit') kind=file ;;
    'apply 1') kind=file ;;
    'assistant create --target') kind=dynamic source=target ;;
    'assistant create 1') kind=file ;;
    'tool create --target') kind=dynamic source=target ;;
    'tool create 1') kind=file ;;
    'tool update --target') kind=dynamic source=target ;;
    'tool update 1') kind=dynamic source=tool ;;
    'tool update 2') kind=file ;;
    'faq push --kb') kind=dynamic source=kb ;;
    'faq push --target') kind=dynamic source=target ;;
    'faq push --batch-size') kind=text ;;
    'faq push --adopt-batch') kind=file ;;
    'faq push 1') kind=file ;;
    'validate --kind') kind=choices choices=(assistant inline-assistant tool tool-update knowledge-base overrides call-start call-connect project) ;;
    'validate --junit') kind=file ;;
    'validate --sarif') kind=file ;;
    'validate '[0-9]*) kind=file ;;
    'schema 1') kind=choices choices=(assistant inline-assistant tool tool-update knowledge-base overrides call-start call-connect project) ;;
    'call start --from') kind=text ;;
    'call start --to') kind=text ;;
    'call start --assistant') kind=dynamic-file source=assistant ;;
    'call start --assistant-id') kind=dynamic source=assistant-id ;;
    'call start --var') kind=text ;;
    'call start --metadata') kind=text ;;
    'call start --overrides') kind=file ;;
    'call start --target') kind=dynamic source=target ;;
    'call start --port') kind=text ;;
    'call start --tunnel') kind=text ;;
    'call start --tunnel-url') kind=text ;;
    'call start --public-url') kind=text ;;
    'call start --timestamps') kind=choices choices=(relative local iso none) ;;
    'call connect --phone-number-id') kind=text ;;
    'call connect --to') kind=text ;;
    'call connect --customer-name') kind=text ;;
    'call connect --direction') kind=choices choices=(inbound outbound) ;;
    'call connect --assistant') kind=dynamic-file source=assistant ;;
    'call connect --assistant-id') kind=dynamic source=assistant-id ;;
    'call connect --var') kind=text ;;
    'call connect --metadata') kind=text ;;
    'call connect --overrides') kind=file ;;
    'call connect --target') kind=dynamic source=target ;;
    'call connect --port') kind=text ;;
    'call connect --tunnel') kind=text ;;
    'call connect --tunnel-url') kind=text ;;
    'call connect --public-url') kind=text ;;
    'call connect --timestamps') kind=choices choices=(relative local iso none) ;;
    'call chat --assistant-id') kind=dynamic source=assistant-id ;;
    'call chat --var') kind=text ;;
    'call chat --overrides') kind=file ;;
    'call chat --caller') kind=file ;;
    'call chat --save') kind=file ;;
    'call chat --data') kind=file ;;
    'call chat --seed') kind=text ;;
    'call chat --llm-url') kind=text ;;
    'call chat --llm-model') kind=text ;;
    'call chat 1') kind=dynamic-file source=assistant ;;
    'webhook tail --host') kind=text ;;
    'webhook tail --port') kind=text ;;
    'webhook tail --path') kind=text ;;
    'webhook tail --require-header') kind=text ;;
    'webhook tail --allow-host') kind=text ;;
    'webhook tail --max-body') kind=text ;;
    'webhook tail --until') kind=choices choices=(finished) ;;
    'webhook tail --tunnel') kind=text ;;
    'webhook tail --tunnel-url') kind=text ;;
    'webhook tail --public-url') kind=text ;;
    'webhook tail --call') kind=text ;;
    'webhook tail --type') kind=text ;;
    'webhook tail --role') kind=choices choices=(user assistant) ;;
    'webhook tail --status') kind=choices choices=(queued ongoing finished) ;;
    'webhook tail --timestamps') kind=choices choices=(relative local iso none) ;;
    'webhook tail --record') kind=file ;;
    'webhook tail --rotate') kind=text ;;
    'webhook tail --forward') kind=dynamic source=forward ;;
    'webhook tail --forward-header') kind=text ;;
    'webhook tail --forward-retries') kind=text ;;
    'webhook tail --drain') kind=text ;;
    'webhook tail --exec') kind=text ;;
    'webhook tail --exec-at-once') kind=text ;;
    'webhook tail --exec-timeout') kind=text ;;
    'webhook replay --to') kind=text ;;
    'webhook replay --speed') kind=text ;;
    'webhook replay --call') kind=text ;;
    'webhook replay --type') kind=text ;;
    'webhook replay --from') kind=text ;;
    'webhook replay --until') kind=text ;;
    'webhook replay --header') kind=text ;;
    'webhook replay --role') kind=choices choices=(user assistant) ;;
    'webhook replay --status') kind=choices choices=(queued ongoing finished) ;;
    'webhook replay --timestamps') kind=choices choices=(relative local iso none) ;;
    'webhook replay 1') kind=file ;;
    'webhook trigger --to') kind=text ;;
    'webhook trigger --set') kind=text ;;
    'webhook trigger --unset') kind=text ;;
    'webhook trigger --messages') kind=text ;;
    'webhook trigger --status') kind=choices choices=(queued ongoing finished) ;;
    'webhook trigger --call') kind=text ;;
    'webhook trigger --shape') kind=text ;;
    'webhook trigger --header') kind=text ;;
    'webhook trigger 1') kind=choices choices=(status-update conversation-update call odd) ;;
    'webhook show --call') kind=text ;;
    'webhook show --format') kind=choices choices=(text markdown json html) ;;
    'webhook show --out') kind=file ;;
    'webhook show 1') kind=file ;;
    'sandbox start --host') kind=text ;;
    'sandbox start --port') kind=text ;;
    'sandbox start --pace') kind=text ;;
    'sandbox start --data') kind=file ;;
    'sandbox start --save-profile') kind=text ;;
    'sandbox start --numbers') kind=file ;;
    'sandbox start --caller') kind=choices choices=(script live) ;;
    'sandbox start --llm-url') kind=text ;;
    'sandbox start --llm-model') kind=text ;;
    'sandbox start --fault') kind=dynamic source=fault ;;
    'sandbox start --fault-http') kind=dynamic source=fault-http ;;
    'sandbox start --seed') kind=text ;;
    'profile add --vocabulary') kind=file ;;
    'profile add 1') kind=text ;;
    'profile show 1') kind=dynamic source=profile ;;
    'profile use 1') kind=dynamic source=profile ;;
    'profile remove 1') kind=dynamic source=profile ;;
    'api --data') kind=text ;;
    'api 1') kind=choices choices=(GET HEAD OPTIONS POST PUT PATCH DELETE) ;;
    'api 2') kind=text ;;
    'completion 1') kind=choices choices=(bash zsh fish powershell) ;;
    *' --profile') kind=dynamic source=profile ;;
    *' --base-url') kind=text ;;
    *' --timeout') kind=text ;;
    *) return 1 ;;
  esac
}

# The words up to the cursor. Bash cuts them at COMP_WORDBREAKS, so `--flag=value` and `a:b` are put together again.
_callwright_words() {
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

_callwright() {
  local words kind choices source commands flags candidates=()
  local i word path='' position=1 literal='' pending='' known command
  _callwright_words
  local last=$((${#words[@]} - 1))
  for ((i = 1; i < last; i++)); do
    word=${words[i]}
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -n $literal || $word != -?* ]]; then
      _callwright_command "$path"
      known=''
      if ((position == 1)); then
        for command in ${commands[@]+"${commands[@]}"}; do
          if [[ $command == "$word" ]]; then known=1; fi
        done
      fi
      if [[ -n $known ]]; then path=${path:+$path }$word; else position=$((position + 1)); fi
    elif [[ $word == -- ]]; then
      literal=1
    elif [[ $word != *=* ]] && _callwright_value "$path $word"; then
      pending="$path $word"
    fi
  done

  local whole=${words[last]} prefix=''
  local current=$whole
  kind='' choices=() source=''
  _callwright_command "$path"
  if [[ -n $pending ]]; then
    _callwright_value "$pending"
  elif [[ -z $literal && $current == --*=* ]]; then
    prefix=${current%%=*}=
    current=${current#*=}
    _callwright_value "$path ${prefix%=}" || kind=text
  elif [[ -z $literal && $current == -* ]]; then
    kind=flags
  elif ((position == 1 && ${#commands[@]} > 0)); then
    kind=commands
  elif ! _callwright_value "$path $position"; then
    kind=flags
    if [[ -n $literal ]]; then kind=text; fi
  fi

  local line
  case $kind in
    choices) candidates=("${choices[@]}") ;;
    commands) candidates=("${commands[@]}") ;;
    flags) candidates=(${flags[@]+"${flags[@]}"}) ;;
    dynamic | dynamic-file)
      while IFS= read -r line; do candidates+=("${line%%$'\t'*}"); done < <(callwright __complete "$source" -- "$current" 2>/dev/null </dev/null)
      # More is to be typed after these.
      if [[ $kind == dynamic && ${#candidates[@]} -gt 0 && "${candidates[*]}" != *[!=/]" "* && "${candidates[*]}" == *[=/] ]]; then
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
    if [[ ${COMP_WORDBREAKS-} == *"$mark"* && $whole == *"$mark"* ]]; then
      line=${whole%"$mark"*}$mark
      if ((${#line} > ${#broken})); then broken=$line; fi
    fi
  done
  COMPREPLY=()
  local candidate quoted
  for candidate in ${candidates[@]+"${candidates[@]}"}; do
    quoted=$candidate
    # Readline quotes file names itself.
    if [[ $kind != file && $kind != folder && $candidate == *[!A-Za-z0-9_,./:=@%+-]* ]]; then printf -v quoted %q "$candidate"; fi
    if [[ $candidate == "$current"* || $quoted == "$current"* ]]; then
      quoted=$prefix$quoted
      COMPREPLY+=("${quoted#"$broken"}")
    fi
  done
  # Bash 3.2 has no compopt; it then offers files where nothing else fits.
  case $kind in
    file | folder) compopt -o filenames 2>/dev/null ;;
    *) compopt +o default +o bashdefault 2>/dev/null ;;
  esac
  return 0
}

complete -o bashdefault -o default -F _callwright callwright
