import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandEnd } from './command.ts'
import type { Shell } from './shell.ts'
import { TerminalText } from './terminal-text.ts'

/** The most background processes of a session that can run, and that can be read, ended ones included. */
const limits = { running: 8, remembered: 32 }
/** How many bytes of unread output are stored, from its beginning and its end. */
const unreadLimits = { head: 10_000, tail: 20_000 }

type BackgroundProcess = {
  id: string
  command: string
  output: TerminalText
  stopController: AbortController
  end: CommandEnd | 'not started' | undefined
  ended: Promise<void>
  /** Resolves when there is new output or the process has ended. */
  outputSignal: PromiseWithResolvers<void>
}

/** The background processes of a session. They end with the session and with the agent. */
export class Processes {
  readonly #processes = new Map<string, BackgroundProcess>()
  #startedCount = 0

  /**
   * @param options.signal ends a process that is being started. @returns the name of the process.
   * @throws Error if too many are running or it cannot be started, and the reason of `signal`.
   */
  async start(
    shell: Shell,
    command: string,
    { signal, ...options }: { workspace: string; sandbox: boolean; signal: AbortSignal },
  ): Promise<string> {
    signal.throwIfAborted()
    const running = [...this.#processes.values()].filter(({ end }) => end === undefined)
    if (running.length >= limits.running) {
      throw new Error(
        `${limits.running} processes are already running: ${running.map(describeProcess).join(', ')}. Stop one of them first.`,
      )
    }
    const stopController = new AbortController()
    const id = `p${++this.#startedCount}`
    const process: BackgroundProcess = {
      id,
      command,
      stopController,
      end: undefined,
      ended: Promise.resolve(),
      outputSignal: Promise.withResolvers<void>(),
      output: new TerminalText(unreadLimits),
    }
    const onOutput = (bytes: Buffer) => {
      process.output.add(bytes)
      process.outputSignal.resolve()
    }
    const { ended } = await shell.start(command, { ...options, signal: stopController.signal, onOutput })
    process.ended = ended.then(
      ({ end, errorOutput }) => finish(process, end, errorOutput),
      (error: Error) => finish(process, 'not started', error.message),
    )
    this.#processes.set(id, process)
    if (signal.aborted) {
      stopController.abort()
      await process.ended
      signal.throwIfAborted()
    }
    for (const [old, { end }] of this.#processes)
      if (this.#processes.size > limits.remembered && end) this.#processes.delete(old)
    return id
  }

  /** Returns the output since the last read. Waits for new output, the end of the process, or `waitMs`. */
  async read(id: string, waitMs: number, signal: AbortSignal): Promise<string> {
    const process = this.#find(id)
    if (process.output.totalBytes === 0 && process.end === undefined)
      await waitAtMost(waitMs, process.outputSignal.promise, signal)
    const text = process.output.text().trimEnd()
    process.output = new TerminalText(unreadLimits)
    process.outputSignal = Promise.withResolvers<void>()
    return `${text || '(nothing new)'}\n[${describeState(process)}]`
  }

  async stop(id: string, signal: AbortSignal): Promise<string> {
    const process = this.#find(id)
    process.stopController.abort()
    await process.ended
    return this.read(id, 0, signal)
  }

  async stopAll(): Promise<void> {
    for (const { stopController } of this.#processes.values()) stopController.abort()
    await Promise.all([...this.#processes.values()].map(({ ended }) => ended))
    this.#processes.clear()
  }

  #find(id: string): BackgroundProcess {
    const found = this.#processes.get(id)
    if (found) return found
    const names = [...this.#processes.values()].map(describeProcess).join(', ')
    throw new Error(`Process ${id} not found; existing processes: ${names || 'none'}. Processes end with the session.`)
  }
}

function finish(process: BackgroundProcess, end: BackgroundProcess['end'], errorOutput: string): void {
  if (errorOutput) process.output.add(Buffer.from(errorOutput))
  process.end = end
  process.outputSignal.resolve()
}

/** The length of a command in a list of processes. */
const maxShownLength = 60

const describeProcess = ({ id, command }: BackgroundProcess) => `${id} (${command.slice(0, maxShownLength)})`

const stopReasons = { memory: 'it used too much memory', processes: 'it started too many processes' }

function describeState({ id, end }: BackgroundProcess): string {
  if (end === undefined) return `${id} is running`
  if (end === 'not started') return `${id} could not be started`
  if (end.kind === 'exited') return `${id} ended with exit code ${end.code}`
  if (end.kind === 'signalled') return `${id} was killed by ${end.signal}`
  const reason = end.reason === 'memory' || end.reason === 'processes' ? `: ${stopReasons[end.reason]}` : ''
  return `${id} was stopped${reason}`
}

/** Waits for a promise, at most for `ms`. @throws the reason of `signal` if it aborts. */
async function waitAtMost(ms: number, promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (ms === 0) return
  const settled = new AbortController()
  const timeout = sleep(ms, undefined, { signal: AbortSignal.any([signal, settled.signal]) }).catch(() => {})
  await Promise.race([promise, timeout])
  settled.abort()
  signal.throwIfAborted()
}
