import type { Command } from './command.ts'

/** Of the agent's environment, what a command may see: never keys, never settings. */
const passedOn = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR']
/** No secret: the mark by which the daemon finds, and ends, what got away from its agent. */
const mark = 'SIGNALBOX_AGENT_OF'

/**
 * A command ends with the agent that started it, even when the agent is killed: the pipe on descriptor 3 then ends, and
 * the watcher takes the whole process group with it.
 */
const watcher = '( { read -r -u 3; kill -KILL 0; } </dev/null >/dev/null 2>&1 & ); exec 3<&-'

/** @returns the command line that runs `script` with bash as this user, in a clean environment. */
export function unsandboxed(script: string, workspace: string, agentEnv: Record<string, string | undefined>): Command {
  const kept = [...passedOn, mark].flatMap((name) =>
    agentEnv[name] === undefined ? [] : [[name, agentEnv[name]] as const],
  )
  return {
    file: '/bin/bash',
    args: ['-c', `${watcher}; exec /bin/bash -c "$0" 2>&1`, script],
    cwd: workspace,
    env: { ...Object.fromEntries(kept), TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' },
    feeds: ['open'],
  }
}
