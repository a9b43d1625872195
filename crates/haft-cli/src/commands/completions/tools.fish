# Names of tools and their parameters, which depend on the configuration.
complete -c haft -n "__fish_seen_subcommand_from call explain policy trust" -a "(haft complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)"
