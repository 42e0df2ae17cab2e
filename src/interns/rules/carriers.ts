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
  [/^sed$|^gsed$/, /^\d*,?\d*e\b|^s(.).*\1.*\1[gip\d]*e|^-[A-Za-z]*f|^--(?:file|expression)/],
  [
    /^tar$|^gtar$|^bsdtar$/,
    /^-[A-Za-z]*[IF]|^--(?:to-command|checkpoint-action|use-compress|rsh|info-script|new-volume)/,
  ],
  [/^zip$/, /^-TT$|^--unzip-command/],
  [/^rsync$|^scp$|^sftp$/, /^-[A-Za-z]*[eSo]|^--rsh/],
  [/^make$|^gmake$|^ninja$/, /^-[A-Za-z]*[fCEI]|^--(?:eval|file|makefile|directory)|^[A-Za-z_]\w*[:+?]?=/],
  [/^npm$|^pnpm$|^yarn$|^npx$/, /^-c$|^--call|^--node-options|^--script-shell|^--prefix|^(?:exec|dlx|x)$/],
  [
    /^git$/,
    /^-c|^--(?:config|exec|upload-pack|receive-pack|ext-diff|textconv|paginate)|^-p$|^alias\.|^-x$|^ext::|^foreach$/,
  ],
  [/^docker$|^podman$|^kubectl$|^nerdctl$/, /^(?:exec|run)$/],
  [/^less$|^more$|^man$/, /^\+|^-[A-Za-z]*[Pk]|^--pager/],
  [/^sort$/, /^--compress-prog/],
  [/^split$/, /^--filter/],
  [/^go$/, /^-(?:exec|toolexec)|^run$|^generate$/],
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
  return codeOptions.some(([program, option]) => program.test(name) && known.some((word) => option.test(word)))
}
