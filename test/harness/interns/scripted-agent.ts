import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ClientConnection,
  type ContentBlock,
  client,
  type ElicitationContentValue,
  type McpServer,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk'
import { type AgentDeps, createAgent } from '#agent/loop/agent.ts'
import { createSessionStore } from '#agent/loop/session/session-store.ts'
import { createFixedWindow } from '#agent/model/catalogue-lookup.ts'
import { type Model, ModelFault, type ModelRequest, type ToolCall } from '#agent/model/model.ts'
import { createScriptModel } from '#agent/model/script.ts'
import type { SandboxOptions } from '#agent/sandbox/sandbox-contents.ts'
import { createShell, type SandboxFallback, type Shell } from '#agent/sandbox/shell.ts'
import { tools } from '#agent/tools/tools.ts'
import { newUuid } from '#platform/core/id.ts'

/** A folder that is removed at the end of its scope. */
export async function newFolder() {
  const path = await mkdtemp(join(tmpdir(), 'signalbox-agent-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The sandbox of this machine, as detected with the machine's usual PATH. */
export const defaultSandbox: SandboxOptions = { path: process.env.PATH, node: process.execPath, readable: [] }
/** Each sandbox implementation separately. Without a folder on the PATH, bubblewrap is not found. */
export const sandboxMethods: { [name: string]: SandboxOptions } = {
  bubblewrap: { ...defaultSandbox, systemPath: '/nonexistent' },
  'util-linux': { ...defaultSandbox, path: '' },
}
/** No sandbox: the best implementation is missing, and the alternative finds no program. */
export const missingSandbox: SandboxOptions = {
  ...defaultSandbox,
  program: '/nonexistent/bwrap',
  systemPath: '/nonexistent',
}

export const realShell = (
  limits: Parameters<typeof createShell>[0]['limits'] = {},
  sandbox: SandboxOptions = defaultSandbox,
  sandboxFallback: SandboxFallback = 'refuse',
): Shell => createShell({ env: process.env, sandbox, limits, sandboxFallback })

/** The ACP client of an agent: it records events, and answers as configured. */
function newClient(answers: Answers = {}) {
  const updates: SessionUpdate[] = []
  const permissionRequests: RequestPermissionRequest[] = []
  const forms: unknown[] = []
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .onRequest('session/request_permission', async ({ params, signal }) => {
      permissionRequests.push(params)
      const optionId = await (answers.permission ?? (() => 'allow_once'))(params, signal)
      return { outcome: optionId ? { outcome: 'selected', optionId } : { outcome: 'cancelled' } }
    })
    .onRequest('elicitation/create', ({ params }) => {
      forms.push(params)
      return answers.form ? { action: 'accept', content: answers.form } : { action: 'decline' }
    })
  const text = () =>
    updates
      .flatMap((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
      )
      .join('')
  /** The results of the tools, in order of their ends. */
  const results = () =>
    updates.flatMap((update) => {
      if (update.sessionUpdate !== 'tool_call_update' || update.status === 'in_progress') return []
      const content = update.content?.[0]
      return content?.type === 'content' && content.content.type === 'text' ? [content.content.text] : []
    })
  return {
    app,
    updates,
    permissionRequests,
    forms,
    text,
    results,
    operations: () => permissionRequests.map((request) => request.toolCall.name),
  }
}
export type Answers = {
  permission?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => string | undefined | Promise<string | undefined>
  form?: Record<string, ElicitationContentValue>
}

/** An agent in this process, its client, and one session in a separate workspace. */
export async function newAgent(
  options: Answers & Partial<AgentDeps> & { mode?: 'manual' | 'self-drive'; mcpServers?: McpServer[] } = {},
) {
  const folder = await newFolder()
  const workspace = await newFolder()
  const app = createAgent({
    settings: { model: 'script', instructions: () => '', maxSteps: 50, ...options.settings },
    findContextWindow: options.findContextWindow ?? createFixedWindow(undefined),
    checkImageInput: options.checkImageInput ?? (async () => false),
    model: options.model ?? createScriptModel({ newId: newUuid }),
    tools: options.tools ?? tools,
    shell: options.shell ?? realShell(),
    store: createSessionStore(folder.path),
    version: '0',
    now: Date.now,
    newId: newUuid,
  })
  const acpClient = newClient(options)
  const connection = acpClient.app.connect(app)
  const session = await openSession(connection, workspace.path, options.mode ?? 'manual', options.mcpServers)
  return {
    ...acpClient,
    ...session,
    stateDir: folder.path,
    workspace: workspace.path,
    agent: connection.agent,
    async [Symbol.asyncDispose]() {
      connection.close()
      await Promise.all([folder[Symbol.asyncDispose](), workspace[Symbol.asyncDispose]()])
    },
  }
}

/** The same over the pipes of a process. */
export async function connectStream(
  stream: Stream,
  workspace: string,
  mode: 'manual' | 'self-drive',
  answers: Answers = {},
) {
  const acpClient = newClient(answers)
  const connection = acpClient.app.connect(stream)
  return { ...acpClient, ...(await openSession(connection, workspace, mode)), agent: connection.agent, connection }
}

async function openSession({ agent }: ClientConnection, cwd: string, modeId: string, mcpServers: McpServer[] = []) {
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } })
  const { sessionId, ...session } = await agent.request('session/new', { cwd, mcpServers })
  await agent.request('session/set_mode', { sessionId, modeId })
  const prompt = (text: string, ...attachments: ContentBlock[]) =>
    agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }, ...attachments] })
  return { sessionId, session, prompt, cancel: () => agent.notify('session/cancel', { sessionId }) }
}

/** A model that returns a list of answers, one for each request, and records the requests. */
export function modelWithResponses(responses: (string | Partial<ToolCall>[] | ModelFault)[]): {
  model: Model
  requests: ModelRequest[]
} {
  const requests: ModelRequest[] = []
  const model: Model = async function* (request) {
    const response = responses[requests.length] ?? 'out of answers'
    requests.push({ ...request, messages: structuredClone(request.messages) })
    if (response instanceof ModelFault) throw response
    if (typeof response === 'string') {
      yield { type: 'text.added', text: response }
      yield { type: 'message.completed', message: { role: 'assistant', text: response }, finish: 'stop' }
      return
    }
    const calls = response.map((call, index) => ({
      id: `c${requests.length}-${index}`,
      name: '',
      arguments: '{}',
      ...call,
    }))
    yield { type: 'message.completed', message: { role: 'assistant', text: '', calls }, finish: 'tool_calls' }
  }
  return { model, requests }
}
