import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SseReader } from '#lib/sse.ts'
import type { TestService } from './service.ts'
import { until } from './until.ts'

type Asking = Pick<TestService, 'ask'>

/** A made and running intern, as its record says it. */
export async function runningIntern(service: Asking, body: object = {}) {
  const made = await service.ask('POST', '/interns', { body: { name: 'ada', provision: true, ...body } })
  if (made.status !== 201) throw new Error(made.text)
  return untilIntern(service, made.body.id, 'running')
}

export function untilIntern(service: Asking, id: string, status: string, withinMs?: number) {
  return until(async () => {
    const { body } = await service.ask('GET', `/interns/${id}`)
    return body.status === status && body
  }, withinMs)
}

export type Said = {
  status: number
  text: string
  finish: string | undefined
  sessionId: string | undefined
  /** The interaction that it ends with. */
  asked: { id: string; arguments: { kind: string; operation?: string; options?: string[] } } | undefined
  error: { code: number; message: string; metadata?: { reason: string } } | undefined
  chunks: any[]
}

/** Says something to an intern, in `manual` mode unless told, and hears the whole reply. */
export async function say(service: Asking, id: string, content: string, more: object = {}): Promise<Said> {
  return speak(service, id, { approval_mode: 'manual', messages: [{ role: 'user', content }], ...more })
}

/** Answers what an intern asked. */
export function answer(
  service: Asking,
  id: string,
  { sessionId, asked }: Pick<Said, 'sessionId' | 'asked'>,
  content: string,
): Promise<Said> {
  const message = { role: 'tool', tool_call_id: asked?.id, content }
  return speak(service, id, { session_id: sessionId, messages: [message] })
}

async function speak(service: Asking, id: string, body: object): Promise<Said> {
  const reply = await service.ask('POST', `/interns/${id}/chat/completions`, { body: { stream: true, ...body } })
  const events = new SseReader().push(Buffer.from(reply.text))
  const chunks = events.flatMap(({ data }) => (data === '[DONE]' || !data ? [] : [JSON.parse(data)]))
  const deltas = chunks.flatMap(({ choices }) => choices.map((choice: { delta: object }) => choice.delta))
  const call = deltas.flatMap((delta) => delta.tool_calls ?? [])[0]
  return {
    status: reply.status,
    text: deltas.map((delta) => delta.content ?? '').join(''),
    finish: chunks.flatMap(({ choices }) => choices.map((choice: any) => choice.finish_reason)).findLast(Boolean),
    sessionId: chunks.at(-1)?.session_id,
    asked: call && { id: call.id, arguments: JSON.parse(call.function.arguments) },
    error: reply.body?.error ?? chunks.find((chunk) => chunk.error)?.error,
    chunks,
  }
}

/** The process number of an intern's daemon on this host. */
export function daemonPid(dataDir: string, id: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'interns', id, 'daemon.json'), 'utf8')).process.pid
}

export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
