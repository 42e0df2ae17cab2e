import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectRuns, type DaemonAddress } from '#interns/remote/connect-runs.ts'
import { startTestService, type TestService } from '../service/service.ts'
import { type InternReply, runningIntern } from './interns.ts'

const script = fileURLToPath(new URL('../../../bin/scripted-agent.ts', import.meta.url))

/**
 * Settings with an agent that runs its prompt as a script, line by line; see src/daemon/scripted/scripted-commands.ts,
 * scripted-questions.ts.
 */
export const scripted = { agents: { scripted: { command: process.execPath, args: [script, 'load'], env: {} } } }

/** Processes of the same user as the tests share compiled code, and so start sooner. */
const fastStartSettings = {
  intern_users_from: 0,
  turns_per_minute_user: 100_000,
  turns_per_minute_organization: 100_000,
}

/** A service with one running intern that plays scripts. */
export async function startInternChatService(options: Parameters<typeof startTestService>[0] = {}) {
  const settings = { ...fastStartSettings, ...scripted, ...options.settings } as object
  const service = await startTestService({ ...options, settings })
  const { id } = await runningIntern(service, { agent: 'scripted' })
  return Object.assign(service, { id })
}
export type InternChatService = Awaited<ReturnType<typeof startInternChatService>>

/** One event of a reply: a chunk, a comment, or the end. */
export type Event = '[DONE]' | ': keepalive' | { [key: string]: any }

/** A reply that the client is reading. */
export type Open = {
  status: number
  headers: Headers
  /** The next event; undefined when the response is over. */
  next: () => Promise<Event | undefined>
  /** All remaining events. */
  rest: () => Promise<Event[]>
  /** Closes the connection. */
  leave: () => void
}

type ServiceClient = Pick<TestService, 'url' | 'apiKey'>

/** Sends a chat request, the body unchanged, and returns when its status is known. */
export async function open(service: ServiceClient, id: string, body: object): Promise<Open> {
  const disconnect = new AbortController()
  const response = await fetch(`${service.url}/interns/${id}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, ...body }),
    signal: disconnect.signal,
  })
  const events = readEvents(response)
  const next = async () => (await events.next()).value ?? undefined
  return {
    status: response.status,
    headers: response.headers,
    next,
    rest: () => Array.fromAsync(events),
    leave: () => disconnect.abort(),
  }
}

/** A prompt, by default in `manual` mode. */
export function prompt(service: InternChatService, content: string, extraFields: object = {}): Promise<Open> {
  return open(service, service.id, { approval_mode: 'manual', messages: [{ role: 'user', content }], ...extraFields })
}

/** The answer to the last interaction of a reply. */
export function reply(
  service: InternChatService,
  { sessionId, question }: InternReply,
  content: string,
): Promise<Open> {
  return open(service, service.id, {
    session_id: sessionId,
    messages: [{ role: 'tool', tool_call_id: question?.id, content }],
  })
}

async function* readEvents(response: Response): AsyncGenerator<Event, void> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) yield readEvent(block)
  }
  // A refusal is one object.
  if (text) yield JSON.parse(text)
}

function readEvent(block: string): Event {
  if (block.startsWith(':')) return block as Event
  const data = block.replace(/^data: /, '')
  return data === '[DONE]' ? data : JSON.parse(data)
}

/** The daemon of an intern, called without the service. */
export function daemonOf({ testStore }: Pick<TestService, 'testStore'>, id: string) {
  const record = join(testStore.settings.data_dir, 'interns', id, 'daemon.json')
  return connectRuns(JSON.parse(readFileSync(record, 'utf8')) as DaemonAddress)
}
