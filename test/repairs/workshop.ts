import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { connectStream, realShell } from '#test/harness/interns/scripted-agent.ts'
import { goodEngineer, type SetRight, sloppyEngineer } from './engineers.ts'
import { serveEngineers } from './model-server.ts'
import { programs, type Task } from './task.ts'

const program = fileURLToPath(new URL('../../bin/agent.ts', import.meta.url))
/** The PATH of commands in the sandbox. The check uses it too, and so finds the same programs. */
const PATH = `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}`

type Who = 'good' | 'sloppy'
export type Outcome = {
  repaired: boolean
  turns: number
  calls: number
  failed: number
  /** The estimated tokens of the largest request to the model. */
  contextTokens: number
  setRight: SetRight
}

const noSandbox = await realShell().sandboxError('/tmp')
/** Without a working sandbox, commands run directly. */
const mode = noSandbox ? 'self-drive' : 'manual'
export const place = noSandbox ? `without a sandbox, as there is none: ${noSandbox}` : 'in the sandbox'

/** The reason why a task cannot run on this machine; undefined if it can. */
export async function whyNot({ language }: Task): Promise<string | undefined> {
  const found = await bash(`command -v ${programs[language]}`, '/')
  return found ? undefined : `there is no ${programs[language]} here`
}

/** Starts the builtin agent as a process, with a model server of scripted engineers. Each attempt at a task is a session. */
export async function openWorkshop(windowTokens?: number) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-repairs-')))
  const model = await serveEngineers()
  const agent = spawn(process.execPath, [program], {
    env: {
      ...{ PATH, HOME: folder, SIGNALBOX_STATE_DIR: join(folder, 'state') },
      ...{ SIGNALBOX_BASE_URL: model.url, SIGNALBOX_MODEL: 'engineer' },
      ...(windowTokens && { SIGNALBOX_CONTEXT_TOKENS: String(windowTokens) }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => agent.once('exit', resolve))
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>)
  const client = await connectStream(stream, folder, mode, { permission: () => 'allow_always' })
  let attempts = 0
  return {
    async attempt(task: Task, who: Who): Promise<Outcome> {
      const workspace = join(folder, `workspace-${++attempts}`)
      await writeAll(workspace, { ...task.files, ...task.tests })
      if (await bash(task.check, workspace)) throw new Error(`${task.name} passes its check before it is repaired.`)
      const setRight: SetRight = []
      const work = model.engage(workspace, who === 'good' ? goodEngineer(task) : sloppyEngineer(task, setRight))
      const { sessionId } = await client.agent.request('session/new', { cwd: workspace, mcpServers: [] })
      await client.agent.request('session/set_mode', { sessionId, modeId: mode })
      const prompt = [{ type: 'text' as const, text: task.prompt }]
      await client.agent.request('session/prompt', { sessionId, prompt })
      await client.agent.request('session/close', { sessionId })
      await writeAll(workspace, task.tests)
      const repaired = await bash(task.check, workspace)
      await rm(workspace, { recursive: true, force: true })
      const { turns, calls, failed, contextTokens } = work
      return { repaired, turns, calls, failed, contextTokens, setRight }
    },
    async [Symbol.asyncDispose]() {
      agent.kill('SIGKILL')
      await exited
      client.connection.close()
      await model[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Whether a command ends well. */
const bash = (command: string, cwd: string) =>
  new Promise<boolean>((resolve) => {
    execFile('/bin/bash', ['-c', command], { cwd, env: { PATH, HOME: cwd } }, (error) => resolve(error === null))
  })

async function writeAll(folder: string, files: Task['files']): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), typeof content === 'string' ? content : content())
  }
}
