import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { once } from '#platform/async/once.ts'
import { createBubblewrapCommand } from './bubblewrap.ts'
import { type Command, runCommand } from './command.ts'
import { mebibyte, type SandboxedScript, type SandboxOptions } from './sandbox-contents.ts'
import { buildSyscallFilter } from './seccomp.ts'
import { createUtilLinuxCommand } from './util-linux.ts'

/** An implementation of the sandbox. `name` is shown to people. */
export type SandboxMethod = {
  name: string
  /** @returns the command line that runs the script with bash in the sandbox over the workspace. */
  command: (script: SandboxedScript) => Command
}

/** Returns the methods that can work on this host, the best first. */
export function listSandboxMethods(options: SandboxOptions): SandboxMethod[] {
  const programs = options.program === undefined ? filesOnPath('bwrap', options.path) : [options.program]
  const optionsFor = ({ readable = [] }: SandboxedScript) => ({
    ...options,
    readable: [...options.readable, ...readable],
  })
  return [
    ...programs.map((program) => ({
      name: `bubblewrap (${program})`,
      command: (script: SandboxedScript) =>
        createBubblewrapCommand(program, optionsFor(script), { ...script, filter: hostFilter() }),
    })),
    {
      name: 'util-linux',
      command: (script) => createUtilLinuxCommand(optionsFor(script), { ...script, filter: hostFilter() }),
    },
  ]
}

function filesOnPath(program: string, path = ''): string[] {
  const folders = path.split(delimiter).filter(isAbsolute)
  const programs = folders.map((folder) => join(folder, program)).filter(isExecutable)
  // Tries a program with two paths once, as where /bin is a link to /usr/bin.
  const realPaths = programs.map((file) => realpathSync(file))
  return programs.filter((_, index) => realPaths.indexOf(realPaths[index]!) === index)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const hostFilter = once(() => {
  const filter = buildSyscallFilter(process.arch)
  if (!filter) throw new Error(`the system calls of the processor ${process.arch} are unknown`)
  return filter
})

/** `skippedMethods`: better methods that failed, each with the reason. */
type SandboxResult = { method: SandboxMethod; skippedMethods: string[] } | { reason: string }

/**
 * Tries the methods in order. @returns the first that works, or the reasons. `user`: the user to run the trial as, because root can
 * create namespaces where others cannot.
 */
export async function findSandbox(methods: SandboxMethod[], workspace: string, user?: number): Promise<SandboxResult> {
  if (!buildSyscallFilter(process.arch))
    return { reason: `The sandbox does not support the processor ${process.arch}, only x64 and arm64.` }
  const reasons = []
  for (const method of methods) {
    const reason = await trySandboxMethod(method, workspace, user)
    if (reason === undefined) return { method, skippedMethods: reasons }
    reasons.push(`${method.name} ${reason}`)
  }
  return { reason: `${reasons.join('; ')}. ${requirementNote}` }
}

/**
 * A bash script that verifies the restrictions of the sandbox, which a fake bubblewrap cannot imitate: the seccomp filter, no new
 * privileges, no capabilities, and an empty /sys instead of the host's.
 */
const trialScript = `restrictions=0
while read -r name value; do
  case $name$value in Seccomp:2|NoNewPrivs:1|CapEff:0000000000000000) restrictions=$((restrictions + 1));; esac
done </proc/self/status
[ -e /sys/kernel ] || echo "restrictions: $restrictions"`
const trialOutput = 'restrictions: 3'

/** A method whose trial takes longer counts as one that does not work. */
const trialSeconds = 10

/**
 * Runs the trial script in the sandbox.
 * @returns undefined if the sandbox works; otherwise the reason as a predicate, to which the caller prefixes the name of the method.
 */
async function trySandboxMethod(
  method: SandboxMethod,
  workspace: string,
  user: number | undefined,
): Promise<string | undefined> {
  const limits = { timeoutMs: trialSeconds * 1000, outputBytes: mebibyte, processes: 100, memoryBytes: 1024 * mebibyte }
  const command = {
    ...method.command({ script: trialScript, workspace, cpuSeconds: trialSeconds }),
    user,
  }
  const result = await runCommand(command, limits, new AbortController().signal).catch(
    (error: NodeJS.ErrnoException) => error,
  )
  if (result instanceof Error)
    return result.code === 'ENOENT' ? 'is not installed' : `cannot be started: ${result.message}`
  if (result.output.trim() === trialOutput) return undefined
  if (result.end.kind === 'exited' && result.end.code === 0) return 'does not restrict the commands that it runs'
  const message = [result.errorOutput, result.output]
    .join(' ')
    .trim()
    .replace(/\s*\n\s*/g, ' ')
  return `cannot make a sandbox: ${message || JSON.stringify(result.end)}`
}

const requirementNote =
  'A sandbox needs user namespaces that this user is allowed to create (see the sysctls kernel.unprivileged_userns_clone and ' +
  'kernel.apparmor_restrict_unprivileged_userns; in a container, a seccomp profile that lets it unshare), and ' +
  'bubblewrap 0.8 or newer, or util-linux 2.36 or newer and perl.'
