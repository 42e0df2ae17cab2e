import { codeVariables, createCodeOptionTest, hasCodeOptions } from './code-options.ts'
import { sedRunsOthers } from './sed-script.ts'
import type { SimpleCommand, Word } from './shell-words.ts'

const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Programs that run commands from their arguments or input, and shell builtins that change later commands. */
const wrapperPrograms = words(`
  sh bash dash ash zsh ksh mksh fish csh tcsh rbash busybox toybox env xargs parallel eval exec command builtin source .
  nohup setsid nice ionice chrt taskset timeout stdbuf unbuffer time strace ltrace gdb sudo su doas runuser chroot
  unshare nsenter setpriv bwrap firejail prlimit systemd-run script watch flock ssh expect socat nc ncat at batch crontab
  alias unalias export declare typeset local readonly let set shopt enable hash trap unset read mapfile readarray getopts
  bind complete compgen coproc pushd popd fc history vi vim nvim view ex ed emacs nano awk gawk mawk nawk m4 dc bc tclsh
  osascript pwsh powershell ld-linux-x86-64.so.2 run-parts start-stop-daemon catchsegv faketime chpst entr dbus-run-session
  tmux screen byobu zellij rlwrap fakeroot proot xvfb-run valgrind perf rr hyperfine numactl cgexec cpulimit pkexec gosu su-exec
  tini dumb-init setarch linux32 linux64 i386 x86_64 choom uclampset sg newgrp capsh machinectl sshpass autossh mosh logsave
  psql mysql mariadb sqlite3 gnuplot octave R julia elixir iex erl escript ghci runghc runhaskell scala groovy jshell clj
  clojure racket guile sbcl swipl ocaml nu xonsh elvish yash posh pdksh ansible ansible-playbook direnv nix nix-shell guix
  concurrently cross-env cross-env-shell dotenv dotenvx nodemon watchexec chokidar onchange chronic ifne mispipe pee lckdo
  vipe schroot fakechroot systemd-inhibit systemd-cat dtach abduco ssh-agent dbus-launch openvt proxychains proxychains4
  torsocks torify tsocks niceload sem lldb gdbserver lftp mongosh irb pry ipython bpython emacsclient gp sage maxima
  genv gxargs gtimeout gnice gnohup gstdbuf gtime ld.so
`)

/** Interpreters that read a program from standard input if no file is named. */
const readsStdin = /^(?:python|pypy|node|bun|deno|perl|ruby|php|lua|tclsh|Rscript)[\d.]*$/i
const stdinPath = /^\/dev\/stdin$|^\/(?:dev|proc\/[^/]+)\/fd\//
/** Programs whose arguments are a command. */
const launchers = /^(?:npx|pnpx|bunx|uvx)$/

export const programOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * Whether a command runs other commands from its arguments or input, or changes what later commands do. Its effect cannot be
 * determined from its words.
 */
export function isWrapperCommand({ words: [program, ...rest], assignments, canHaveOptions }: SimpleCommand): boolean {
  if (program == null || program === '' || assignments.some((variable) => codeVariables.test(variable))) return true
  const programName = programOf(program)
  // On a case-insensitive file system, `SH` runs `sh`.
  return [programName, programName.toLowerCase()].some(
    (name) => isWrapper(name, rest) || (canHaveOptions && hasCodeOptions(name)),
  )
}

function isWrapper(name: string, rest: Word[]): boolean {
  if (wrapperPrograms.has(name) || /^ld-(?:linux|musl)/.test(name)) return true
  const knownWords = rest.filter((word) => word !== null)
  if (readsStdin.test(name) && readsProgramFromStdin(knownWords)) return true
  if (/^g?sed$/.test(name)) return sedRunsOthers(rest)
  // The first argument of tar can be options without a dash, which can name programs.
  if (/^(?:g|bsd)?tar$/.test(name) && /^[A-Za-z]*[IF]/.test(knownWords[0] ?? '')) return true
  if (launchers.test(name)) {
    const launched = knownWords.findIndex((word) => !word.startsWith('-') && !launchers.test(programOf(word)))
    if (launched >= 0 && isWrapper(programOf(knownWords[launched]!), knownWords.slice(launched + 1))) return true
  }
  return knownWords.some(createCodeOptionTest(name, knownWords))
}

function readsProgramFromStdin(words: string[]): boolean {
  if (words.some((word) => word === '-' || stdinPath.test(word))) return true
  return words.every((word) => word.startsWith('-')) && !words.some((word) => /^-(?:V|v|-version|h|-help)$/.test(word))
}
