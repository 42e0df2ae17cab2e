/**
 * Options and subcommands with which a program runs other code, so that the words of a command do not show its effect.
 * Patterns such as `-[A-Za-z]*c` also match an option in a cluster: `-ic`.
 */
const codeOptions: [program: RegExp, option: RegExp][] = [
  [
    /^python[\d.]*$|^pypy[\d.]*$/,
    /^-[A-Za-z]*c|^-$|^(?:-[A-Za-z]*m)?(?:timeit|c?profile|pdb|trace|code|IPython|bpython)$/i,
  ],
  [
    /^node(?:js)?[\d.]*$|^bun$|^deno$|^tsx$|^ts-node$/,
    /^-[A-Za-z]*[epr]|^--(?:eval|print|require|import|loader|exp)|^-$|^eval$|^x$/,
  ],
  [/^perl[\d.]*$/, /^-[\w.]*[eEMmdI]|^-$/],
  [/^ruby[\d.]*$/, /^-[\w.]*[erI]|^-$/],
  [/^php[\d.]*$/, /^-[A-Za-z]*[rBRE]|^--(?:run|process)|^-$/],
  [/^lua(?:jit)?[\d.]*$/, /^-[A-Za-z]*[el]|^-$/],
  [/^rake$/, /^-[A-Za-z]*[eEp]|^--execute/],
  [/^find$|^gfind$/, /^-(?:exec|ok|fprint|fls)/],
  [/^fd(?:find)?$/, /^-[A-Za-z]*[xX]|^--exec/],
  [/^rg$|^ripgrep$/, /^--(?:pre|hostname-bin)/],
  [/^(?:g|bsd)?tar$/, /^-[A-Za-z]*[IF]/],
  // The program that tests the archive.
  [/^zip$/, /^-TT/],
  [/^rsync$|^scp$|^sftp$/, /^-[A-Za-z]*[eSo]|^--rsh|^--rsync-path/],
  [/^make$|^gmake$|^ninja$/, /^-[A-Za-z]*[fCEI]|^[A-Za-z_]\w*[:+?]?=/],
  [/^npm$|^pnpm$|^yarn$|^npx$/, /^-c|^(?:exec|dlx|x|explore|script-shell)$/],
  // A setting, a pager (`-p`, `grep -O`), filters of `diff`, a transport, `submodule foreach`.
  [/^git$/, /^-c|^-p$|^-O|^--textc|^ext::|^foreach$/],
  [
    /^git$/,
    /^(?:bisect|filter-branch|hook|instaweb|daemon|shell|web--browse|mergetool|difftool|remote-ext|send-email|for-each-repo)$/,
  ],
  // Settings that name a program, which a harmless command then runs, or other settings files.
  [
    /^git$/,
    /^(?:alias\.|filter\.[^.]+\.(?:clean|smudge|process)|diff\.(?:external|[^.]+\.(?:command|textconv))|merge\.[^.]+\.driver)/i,
  ],
  [/^git$/, /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|hookspath|askpass|gitproxy)|pager\.|sequence\.editor)/i],
  [
    /^git$/,
    /^(?:credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|(?:browser|man|mergetool|difftool)\.[^.]+\.(?:cmd|path))/i,
  ],
  [
    /^git$/,
    /^(?:include(?:if)?\.|help\.autocorrect|core\.alternaterefscommand|interactive\.difffilter|init\.templatedir|protocol\.|url\.)/i,
  ],
  [
    /^git$/,
    /^(?:remote\..*\.(?:vcs|uploadpack|receivepack)|submodule\..*\.update|trailer\..*\.(?:cmd|command)|tar\..*\.command|hook\.)/i,
  ],
  [/^ip$/, /^(?:exec|vrf)$/],
  [/^hg$/, /^--config/],
  // An alias can be a command of the shell.
  [/^gh$/, /^(?:alias|exec)$/],
  [/^cpio$/, /^--rsh/],
  [/^docker(?:-compose)?$|^podman(?:-compose)?$|^kubectl$|^nerdctl$/, /^(?:exec|run)$/],
  [/^(?:poetry|pdm|pipenv|hatch|rye|conda|mamba|bundle|rbenv|pyenv|nodenv|asdf|mise|volta)$/, /^(?:run|exec)$/],
  [/^mvnw?$/, /^exec:/],
  [/^gradlew?$/, /^-I|^--init-script/],
  [/^cmake$/, /^-[EP]/],
  [/^(?:.*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?$/, /^-wrapper|^-fplugin|^-specs|^-B|^@/],
  [/^Rscript$/, /^-e/],
  [/^(?:pdf|xe|lua|e)?(?:la)?tex$/, /shell-escape|write18/],
  [/^rpm$/, /^-[A-Za-z]*E|^--eval/],
  [/^tcpdump$/, /^-[A-Za-z]*z/],
  // A library for hardware keys.
  [/^ssh-keygen$|^ssh-add$/, /^-[A-Za-z]*[Ds]/],
  [/^wget$/, /^-[A-Za-z]*e/],
  [/^apt(?:-get)?$/, /^-[A-Za-z]*[oc]/],
  [/^dpkg$/, /^--.*-invoke/],
  [/^openssl$/, /^engine$|^-(?:engine|provider)/],
  // A first command, a pager, a file of keys, a browser.
  [/^less$|^more$|^man$/, /^\+|^-[A-Za-z]*[PkH]/],
  [/^go$/, /^-(?:exec|toolexec|vettool)|extld|^(?:CC|CXX)=|^run$|^generate$/],
  [/^cargo$/, /^--config|^run$/],
  [/^pip[\d.]*$|^uv$|^uvx$|^pipx$/, /^run$/],
]

/** Words that change later commands: they set a variable, or install a program under another name. */
const mutatingWords: [program: RegExp, word: RegExp][] = [
  [/^printf$/, /^-v/],
  // The index of an array is evaluated, with the commands in it: `test -v 'a[$(id)]'`.
  [/^(?:test|\[|wait)$/, /\[.*[$`]/s],
  [/^jobs$/, /^-x/],
  [/^g?(?:cp|ln|mv|install|link)$/, /^\/(?:[^/]+\/)*s?bin\//],
]

/** Options of one subcommand of a program. For other subcommands the letter means something else. */
const commandOptions: [program: RegExp, option: RegExp, command: string][] = [
  [/^git$/, /^-[A-Za-z]*x/, 'rebase'],
  [/^git$/, /^-[A-Za-z]*u/, 'clone'],
  // Its hooks run in the clone.
  [/^git$/, /^--templ/, 'clone'],
]

/**
 * The starts of long options that run other code, for programs that accept abbreviations: `use-compress` stands for
 * `--use-compress-program`, `--use-compress` and `--use`.
 */
const longOptions: [program: RegExp, options: string[]][] = [
  [/^git$/, ['config', 'exec', 'upload-pack', 'receive-pack', 'ext-diff', 'paginate', 'open-files', 'output']],
  [
    /^(?:g|bsd)?tar$/,
    ['to-command', 'checkpoint-action', 'use-compress', 'rsh', 'rmt-command', 'info-script', 'new-volume'],
  ],
  [/^g?sort$/, ['compress-prog']],
  [/^g?split$/, ['filter']],
  [/^zip$/, ['unzip-command']],
  [/^g?make$/, ['eval', 'file', 'makefile', 'directory']],
  [/^npm$|^pnpm$|^yarn$|^npx$/, ['call', 'node-options', 'script-shell', 'prefix']],
  [/^wget$/, ['use-askpass', 'config', 'execute']],
  [/^apt(?:-get)?$/, ['option', 'config-file']],
  [/^less$|^more$|^man$/, ['pager', 'html']],
]

/** Whether a program has an option that runs other code. */
export const hasCodeOptions = (name: string) =>
  [...codeOptions, ...commandOptions, ...longOptions].some(([program]) => program.test(name))

/** Returns a function that tests whether a word of a command is an option that runs other code. */
export function createCodeOptionTest(name: string, words: string[]): (word: string) => boolean {
  const patterns = [
    ...codeOptions,
    ...mutatingWords,
    ...commandOptions.filter(([, , command]) => words.includes(command)),
  ]
    .filter(([program]) => program.test(name))
    .map(([, option]) => option)
  const long = longOptions.filter(([program]) => program.test(name)).flatMap(([, options]) => options)
  return (word) => {
    if (patterns.some((option) => option.test(word))) return true
    const optionName = /^--([^=]+)/.exec(word)?.[1]
    return (
      optionName !== undefined && long.some((option) => optionName.startsWith(option) || option.startsWith(optionName))
    )
  }
}

/** Variables whose value is executed, or names settings that can be: `GIT_EXTERNAL_DIFF='git push' git diff`. */
export const codeVariables =
  /^(?:GIT_(?:CONFIG|SSH|EXTERNAL_DIFF|PROXY_COMMAND|ASKPASS|EXEC_PATH|TEMPLATE_DIR)\w*|\w*(?:PAGER|EDITOR|BROWSER)|VISUAL|PROMPT_COMMAND|PS4|(?:BASH_)?ENV|LESS(?:OPEN|CLOSE)|PERL5(?:OPT|DB)|RUBYOPT|MAKEFLAGS|TAR_OPTIONS|RSYNC_RSH|\w+_WRAPPER|JAVA_TOOL_OPTIONS|GOFLAGS(?==.*exec)|npm_config_\w+|(?:LD|DYLD)_\w+|PATH|HOME|CDPATH|XDG_CONFIG_HOME|NODE_OPTIONS(?==.*(?:import|require|loader|data:|-r\b)))=/is
