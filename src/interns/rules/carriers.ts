import type { SimpleCommand } from './shell-words.ts'

const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Programs that run what their arguments or their input say, and words of the shell that change what others mean. */
const carriers = words(`
  sh bash dash ash zsh ksh mksh fish csh tcsh rbash busybox toybox env xargs parallel eval exec command builtin source .
  nohup setsid nice ionice chrt taskset timeout stdbuf unbuffer time strace ltrace gdb sudo su doas runuser chroot
  unshare nsenter setpriv bwrap firejail prlimit systemd-run script watch flock ssh expect socat nc ncat at batch crontab
  alias unalias export declare typeset local readonly let set shopt enable hash trap unset read mapfile readarray getopts
  bind complete coproc pushd popd fc history vi vim nvim view ex ed emacs nano awk gawk mawk nawk m4 dc bc tclsh expect
  osascript pwsh powershell ld-linux-x86-64.so.2 run-parts start-stop-daemon catchsegv faketime chpst entr dbus-run-session
  tmux screen byobu zellij rlwrap fakeroot proot xvfb-run valgrind perf rr hyperfine numactl cgexec cpulimit pkexec gosu su-exec
  tini dumb-init setarch linux32 linux64 i386 x86_64 choom uclampset sg newgrp capsh machinectl sshpass autossh mosh logsave
  psql mysql mariadb sqlite3 gnuplot octave R julia elixir iex erl escript ghci runghc runhaskell scala groovy jshell clj
  clojure racket guile sbcl swipl ocaml nu xonsh elvish yash posh pdksh ansible ansible-playbook direnv nix nix-shell guix
`)

/** Options with which a program runs what follows; the name of the program may end with a version. */
const codeOptions: [RegExp, RegExp][] = [
  [/^python[\d.]*$|^pypy[\d.]*$/, /^-[A-Za-z]*c|^-$/],
  [
    /^node(?:js)?[\d.]*$|^bun$|^deno$|^tsx$|^ts-node$/,
    /^-[A-Za-z]*[epr]|^--(?:eval|print|require|import|loader|exp)|^-$|^eval$|^x$/,
  ],
  [/^perl[\d.]*$/, /^-[A-Za-z]*[eEMmdI]|^-$/],
  [/^ruby[\d.]*$/, /^-[A-Za-z]*[erI]|^-$/],
  [/^php[\d.]*$/, /^-[A-Za-z]*[rBRE]|^--(?:run|process)|^-$/],
  [/^lua(?:jit)?[\d.]*$/, /^-[A-Za-z]*[el]|^-$/],
  [/^find$|^gfind$/, /^-(?:exec|ok)/],
  [/^fd(?:find)?$/, /^-[A-Za-z]*[xX]|^--exec/],
  [/^rg$|^ripgrep$/, /^--pre/],
  [/^sed$|^gsed$/, /^\d*,?\d*e\b|^s(.).*\1.*\1[gip\d]*e|[/;{}\d$!]\s*e(?:\s|$)|^-[A-Za-z]*f|^--(?:file|expression)/],
  [
    /^tar$|^gtar$|^bsdtar$/,
    /^-[A-Za-z]*[IF]|^--(?:to-command|checkpoint-action|use-compress|rsh|info-script|new-volume)/,
  ],
  [/^zip$/, /^-TT$|^--unzip-command/],
  [/^rsync$|^scp$|^sftp$/, /^-[A-Za-z]*[eSo]|^--rsh/],
  [/^make$|^gmake$|^ninja$/, /^-[A-Za-z]*[fCEI]|^--(?:eval|file|makefile|directory)|^[A-Za-z_]\w*[:+?]?=/],
  [
    /^npm$|^pnpm$|^yarn$|^npx$/,
    /^-c$|^--call|^--node-options|^--script-shell|^--prefix|^(?:exec|dlx|x|explore|script-shell)$/,
  ],
  [
    /^git$/,
    /^-c|^--(?:config|exec|upload-pack|receive-pack|ext-diff|textconv|paginate|open-files|smtp-server)|^-p$|^-x$|^-O|^ext::|^foreach$/,
  ],
  [/^git$/, /^(?:bisect|filter-branch|hook|instaweb|daemon|shell|web--browse|mergetool|difftool|remote-ext)$/],
  // Settings that name a program, which an innocent command then runs.
  [
    /^git$/,
    /^(?:alias\.|filter\.[^.]+\.(?:clean|smudge|process)|diff\.(?:external|[^.]+\.(?:command|textconv))|merge\.[^.]+\.driver)/i,
  ],
  [/^git$/, /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|hookspath|askpass|gitproxy)|pager\.|sequence\.editor)/i],
  [
    /^git$/,
    /^(?:credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|(?:browser|man|mergetool|difftool)\.[^.]+\.(?:cmd|path))/i,
  ],
  [/^docker$|^podman$|^kubectl$|^nerdctl$/, /^(?:exec|run)$/],
  [/^(?:poetry|pdm|pipenv|hatch|rye|conda|mamba|bundle|rbenv|pyenv|nodenv|asdf|mise|volta)$/, /^(?:run|exec)$/],
  [/^mvnw?$/, /^exec:/],
  [/^gradlew?$/, /^-I|^--init-script/],
  [/^cmake$/, /^-[EP]/],
  [/^(?:.*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?$/, /^-wrapper|^-fplugin|^-specs|^-B|^@/],
  [/^Rscript$/, /^-e/],
  [/^tcpdump$/, /^-[A-Za-z]*z/],
  [/^ssh-keygen$|^ssh-add$/, /^-[A-Za-z]*[Ds]/],
  [/^wget$/, /^--use-askpass|^--config|^--execute|^-[A-Za-z]*e/],
  [/^apt(?:-get)?$/, /^-[A-Za-z]*[oc]|^--(?:option|config-file)/],
  [/^dpkg$/, /^--.*-invoke/],
  [/^openssl$/, /^engine$|^-(?:engine|provider)/],
  [/^less$|^more$|^man$/, /^\+|^-[A-Za-z]*[PkH]|^--(?:pager|html)/],
  [/^sort$/, /^--compress-prog/],
  [/^split$/, /^--filter/],
  [/^go$/, /^-(?:exec|toolexec|vettool)|extld|^(?:CC|CXX)=|^run$|^generate$/],
  [/^cargo$/, /^--config|^run$/],
  [/^pip[\d.]*$|^uv$|^uvx$|^pipx$/, /^run$/],
  [/^printf$/, /^-v/],
]
/** Interpreters that read a program from their input when no file is named. */
const readsInput = /^(?:python|pypy|node|bun|deno|perl|ruby|php|lua|tclsh|Rscript)[\d.]*$/

export const programOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * Whether a command is more than its own words: it runs other commands that are in its arguments or its input, or changes
 * what the commands after it do. What it does cannot be told from its words alone.
 */
export function carriesOthers({ words: [program, ...rest] }: SimpleCommand): boolean {
  if (program == null || program === '') return true
  const name = programOf(program)
  if (carriers.has(name)) return true
  const known = rest.filter((word) => word !== null)
  if (readsInput.test(name) && !known.some((word) => !word.startsWith('-')))
    return !known.some((word) => /^-(?:V|v|-version|h|-help)$/.test(word))
  // The first word of tar may be options without a dash, and those name programs.
  if (/^(?:g|bsd)?tar$/.test(name) && /^[A-Za-z]*[IF]/.test(known[0] ?? '')) return true
  return codeOptions.some(([program, option]) => program.test(name) && known.some((word) => option.test(word)))
}
