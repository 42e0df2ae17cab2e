import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'

/** A process of the cluster, which can be stopped and restarted. */
export class Part implements AsyncDisposable {
  readonly #command: string[]
  readonly #folder: string
  readonly #name: string
  #child: ChildProcess | undefined

  /** Its working directory. Its output goes into `<name>.log` there. */
  constructor(folder: string, name: string, command: string[]) {
    this.#folder = folder
    this.#name = name
    this.#command = command
  }

  /** Nothing, while it runs. */
  start(): void {
    if (this.isRunning) return
    const log = openSync(`${this.#folder}/${this.#name}.log`, 'a')
    const [command = '', ...args] = this.#command
    // In a separate process group: the runner handles Ctrl-C, and ends the parts in order.
    this.#child = spawn(command, args, { cwd: this.#folder, detached: true, stdio: ['ignore', log, log] })
    closeSync(log)
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Ends it at once, and waits until it has ended. */
  async kill(): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.#child!, 'exit')
    this.#child!.kill('SIGKILL')
    await ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}
