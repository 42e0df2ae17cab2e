import { authorityVariables } from '#platform/net/authorities.ts'
import { proxyVariables } from '#platform/net/proxies.ts'
import { markerVariable } from '#platform/process/process-marker.ts'
import type { Command } from './command.ts'
import { makeCommandGroup } from './command-group.ts'
import { hasSubReaper, underSubReaper } from './sub-reaper.ts'

/** Of the agent's environment, what a command may see: never keys, never settings. */
const passedOn = [
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
const proxies = proxyVariables.flatMap((name) => [name, name.toUpperCase()])
/**
 * Ends a command with the agent that started it where a sub-reaper is missing, even when the agent is killed: the pipe on
 * descriptor 3 then ends, and the watcher takes the whole process group with it.
 */
const watcher = '( { read -r -u 3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & ); exec 3<&-'

const joinGroup = '[ -z "$1" ] || echo 0 2>/dev/null > "$1/cgroup.procs"'

/**
 * @returns the command line that runs `script` with bash as this user, in a clean environment. `mark` is no secret: what
 * got away from its command, or from the agent, is found by it and ended.
 */
export function unsandboxed(
  script: string,
  workspace: string,
  agentEnv: Record<string, string | undefined>,
  mark: string,
  apart = false,
): Command {
  const shell = `exec /bin/bash -c "$0"${apart ? '' : ' 2>&1'}`
  const group = makeCommandGroup(`command-${mark}`)
  const program = hasSubReaper
    ? underSubReaper(['/bin/bash', '-c', shell, script], group?.folder)
    : { file: '/bin/bash', args: ['-c', `${joinGroup}; ${watcher}; ${shell}`, script, group?.folder ?? ''] }
  const kept = [...passedOn, ...proxies, ...authorityVariables].flatMap((name) =>
    agentEnv[name] === undefined ? [] : [[name, agentEnv[name]] as const],
  )
  return {
    ...program,
    cwd: workspace,
    env: {
      ...Object.fromEntries(kept),
      [markerVariable]: mark,
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
    },
    feeds: ['open'],
    mark,
    ...(hasSubReaper && { endsItself: true }),
    ...(group && { ended: group.end }),
  }
}
