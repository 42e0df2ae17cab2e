import { caFileVariables } from '#platform/net/ca-certificates.ts'
import { proxyVariableNames } from '#platform/net/proxies.ts'
import { markerVariable } from '#platform/process/process-marker.ts'
import type { Command } from './command.ts'
import { makeCommandGroup } from './command-group.ts'
import { createSubReaperCommand, hasSubReaper } from './sub-reaper.ts'

/** The variables of the agent's environment that commands get: no keys and no settings. */
const inheritedNames = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'GIT_CONFIG_SYSTEM',
]
const inheritedProxyNames = proxyVariableNames.flatMap((name) => [name, name.toUpperCase()])

/**
 * Ends a command when the agent that started it ends or is killed, on systems without a sub-reaper: the pipe on
 * descriptor 3 then closes, and the watcher kills the whole process group.
 */
const watcher = '( { read -r -u 3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & ); exec 3<&-'

/** Moves bash into the control group `$1`, if there is one. The id 0 stands for the process that writes it. */
const joinGroup = '[ -z "$1" ] || echo 0 2>/dev/null > "$1/cgroup.procs"'

/**
 * @returns the command line that runs `script` with bash as this user, in a clean environment. Processes that escaped
 * from their command or from the agent are found by `mark`, which is not secret, and ended.
 */
export function createUnsandboxedCommand(
  script: string,
  workspace: string,
  agentEnv: Record<string, string | undefined>,
  mark: string,
  separateStderr = false,
): Command {
  // Without `--norc`, bash reads the user's ~/.bashrc: its input is a socket, as from a remote shell.
  // `$0` is the script.
  const shell = `exec /bin/bash --norc -c "$0"${separateStderr ? '' : ' 2>&1'}`
  const group = makeCommandGroup(`command-${mark}`)
  const program = hasSubReaper
    ? createSubReaperCommand(['/bin/bash', '--norc', '-c', shell, script], group?.folder)
    : { file: '/bin/bash', args: ['--norc', '-c', `${joinGroup}; ${watcher}; ${shell}`, script, group?.folder ?? ''] }
  const inheritedEnv = [...inheritedNames, ...inheritedProxyNames, ...caFileVariables].flatMap((name) =>
    agentEnv[name] === undefined ? [] : [[name, agentEnv[name]] as const],
  )
  return {
    ...program,
    cwd: workspace,
    env: {
      ...Object.fromEntries(inheritedEnv),
      [markerVariable]: mark,
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    },
    // The pipe on descriptor 3, for the watcher or the sub-reaper.
    feeds: ['open'],
    mark,
    ...(hasSubReaper && { killsDescendants: true }),
    ...(group && { onEnd: group.end }),
  }
}
