import { type ChildProcess, spawn } from 'node:child_process'
import { once as onceEvent } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { initializeAgent } from '#daemon/acp/agent.ts'
import type { Launch } from '#daemon/acp/launch.ts'
import type { DaemonLog } from '#daemon/log.ts'
import { monotonicNow } from '#daemon/runs/monotonic-clock.ts'
import type { ScriptedOptions } from '#daemon/scripted/script-context.ts'
import { createScriptedAgent } from '#daemon/scripted/scripted-agent.ts'
import { startDaemon } from '#daemon/server/start.ts'
import { type AgentSettings, defaultLimits, type Limits } from '#daemon/settings/limits.ts'
import type { TcpListener } from '#daemon/settings/settings.ts'
import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import type { DaemonApi, StartTurn } from '#interns/contract/daemon-api.ts'
import type { Refusal } from '#interns/contract/refusal.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { connectRuns } from '#interns/remote/connect-runs.ts'
import { once } from '#platform/async/once.ts'
import { newUuid } from '#platform/core/id.ts'
import { killAfterTests } from '../service/leftovers.ts'

export const token = 'a-token-of-the-tests'
const script = fileURLToPath(new URL('../../../bin/scripted-agent.ts', import.meta.url))
const daemonScript = fileURLToPath(new URL('../../../bin/daemon.ts', import.meta.url))

const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url))

type DaemonOptions = {
  limits?: Partial<Limits>
  now?: () => number
  /** The monotonic clock; defaults to `now` if that is set. */
  elapsed?: () => number
  folder?: string
  /** The script of the scripted agent; a list runs the agent as a separate process. */
  agent?: string[]
  restore?: ScriptedOptions['restore']
  signIn?: string
  sendsLate?: boolean
  authenticate?: string
  modes?: AgentSettings['modes']
  launch?: Launch
  /** Whether it is started for an expected prompt. */
  startsAgent?: boolean
  mcpServers?: McpServer[]
  command?: string
  listen?: TcpListener
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'signalbox-daemon-'))

/** A daemon in this process, on a real socket. Its agent plays scripts in this process too, or in a separate one. */
export async function startTestDaemon(options: DaemonOptions = {}) {
  const folder = options.folder ?? newFolder()
  const socketPath = join(folder, 'daemon.sock')
  const logged: { event: string; [detail: string]: unknown }[] = []
  const settings = {
    socketPath,
    listen: options.listen,
    token,
    workspace: join(folder, 'workspace'),
    state: join(folder, 'state'),
    agent: agentSettings(options),
    startsAgent: options.startsAgent ?? false,
    limits: { ...defaultLimits, ...options.limits },
  }
  const log: DaemonLog = (event, details) => void logged.push({ event, ...details })
  const inProcess = options.agent || options.command ? undefined : launchInProcess(options, log)
  const launch = options.launch ?? inProcess
  const daemon = await startDaemon(settings, {
    log,
    now: options.now ?? Date.now,
    monotonicNow: options.elapsed ?? options.now ?? monotonicNow,
    newId: newUuid,
    ...(launch && { launch }),
  })
  const stop = once(daemon.stop)
  const runs = connectRuns({ socketPath, token })
  return {
    ...createTurnClient(runs),
    folder,
    socketPath,
    port: daemon.port,
    logged,
    /** Ends the daemon and keeps its folder for the next one. */
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      runs.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function agentSettings({ agent = [], command, mcpServers = [], modes = {} }: DaemonOptions) {
  const env = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compileCache }
  return { command: command ?? process.execPath, args: command ? agent : [script, ...agent], env, modes, mcpServers }
}

function launchInProcess(
  { restore = 'load', limits, signIn, sendsLate = false, authenticate }: DaemonOptions,
  log: DaemonLog,
): Launch {
  return async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const app = createScriptedAgent({
      restore,
      hasModes: true,
      writeRaw: (bytes) => input.write(bytes),
      crash: () => input.destroy(),
      writeStderr: () => {},
      hasLateUpdates: sendsLate,
      ...(signIn !== undefined && { signIn }),
    })
    app.connect(ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>))
    const agent = await initializeAgent(
      { input, output },
      { ...defaultLimits, ...limits },
      { ...(authenticate && { authenticate }) },
      log,
    )
    return { agent, stop: async () => void input.destroy() }
  }
}

/** The prompts that a test sends to an intern, and the events that it receives. */
export function createTurnClient(runs: DaemonApi & { close(): void }) {
  const signal = () => new AbortController().signal
  return {
    runs,
    /** A whole turn, up to its end or its first question. */
    say: async (prompt: string, options: Partial<Pick<StartTurn, 'sessionId' | 'mode' | 'turnsBefore'>> = {}) =>
      collectTurn(await runs.start({ prompt, mode: 'manual', ...options }, signal())),
    answer: async (turn: TurnResult, answer: string, questionId = turn.question?.id ?? 'none') =>
      collectTurn(await runs.answer({ sessionId: turn.sessionId, questionId, answer }, signal())),
    /** A turn in flight: the events received so far, and a function that leaves it. */
    listen: async (prompt: string, options: { sessionId?: string; mode?: ApprovalMode } = {}) => {
      const { sessionId, mode = 'manual' } = options
      const disconnect = new AbortController()
      const events = await runs.start({ prompt, mode, ...(sessionId && { sessionId }) }, disconnect.signal)
      const received: TurnEvent[] = []
      const finished = (async () => {
        for await (const event of events) received.push(withoutInstant(event))
      })().catch(() => {})
      while (received.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const first = received[0] as Extract<TurnEvent, { type: 'turn.started' }>
      return { received, finished, leave: () => disconnect.abort(), runId: first.runId, sessionId: first.sessionId }
    },
  }
}

export type TurnResult = Awaited<ReturnType<typeof collectTurn>>

async function collectTurn(events: AsyncIterable<TurnEvent>) {
  const all = await Array.fromAsync(events, withoutInstant)
  const first = all[0]
  const last = all.at(-1)
  if (first?.type !== 'turn.started' || !last) throw new Error(`The stream starts with ${JSON.stringify(first)}`)
  return {
    all,
    last,
    runId: first.runId,
    sessionId: first.sessionId,
    question: last.type === 'question.asked' ? last.question : undefined,
    text: all.map((event) => (event.type === 'text.added' ? event.text : '')).join(''),
    reasoning: all.map((event) => (event.type === 'reasoning.added' ? event.text : '')).join(''),
  }
}

/** Removes times: they differ on each run, and few tests use them. */
function withoutInstant(event: TurnEvent): TurnEvent {
  if (!('meteredSince' in event)) return event
  const { meteredSince: _, ...rest } = event
  return rest
}

/** The text of a refusal, for comparison. */
export async function refusalOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (thrown: Refusal) => thrown,
  )
  return error && { code: error.code, reason: error.reason, retryable: error.retryable, message: error.message }
}

/** `bin/daemon.ts` as a process of an intern. */
export async function startDaemonProcess(options: DaemonOptions & { env?: Record<string, string> } = {}) {
  const folder = options.folder ?? newFolder()
  mkdirSync(folder, { recursive: true })
  const { modes: _, ...agent } = agentSettings({ agent: ['load'], ...options })
  const socketPath = join(folder, 'daemon.sock')
  const settings = {
    socket: 'daemon.sock',
    ...(options.listen && { listen: options.listen }),
    token_file: 'token',
    workspace: 'workspace',
    state: 'state',
    agent,
    limits: options.limits ?? {},
  }
  writeFileSync(join(folder, 'token'), token)
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const child = spawn(process.execPath, [daemonScript, join(folder, 'settings.json')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...options.env },
  })
  killAfterTests(child)
  const stderr: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => void stderr.push(text))
  const exited = onceEvent(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const ready = await Promise.race([onceEvent(child.stdout, 'data'), exited])
  if (!Buffer.isBuffer(ready[0])) throw new Error(stderr.join(''))
  const runs = connectRuns({ socketPath, token })
  return {
    ...createTurnClient(runs),
    child: child as ChildProcess,
    exited,
    folder,
    socketPath,
    stderr: () => stderr.join(''),
    kill: async (name: NodeJS.Signals) => {
      runs.close()
      child.kill(name)
      return exited
    },
    [Symbol.asyncDispose]: async () => {
      runs.close()
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
