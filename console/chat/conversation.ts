import { signal } from '@preact/signals'
import type { ChatRequest } from '../api/types.ts'
import { emptyReply, type Reply } from '../components/reply/reply.ts'
import { streamReply } from '../components/reply/stream-reply.ts'
import { buildRequest, noSettings, type Settings, type Turn } from './request.ts'

/** The conversation, in memory only. It survives a change of screens. */
export const turns = signal<Turn[]>([])
export const settings = signal<Settings>(noSettings)
/** Messages of a request that was reopened from the request log, sent before the conversation. */
export const earlierMessages = signal<ChatRequest['messages']>([])
export const draft = signal('')
/** Images of the draft, as data URLs. */
export const draftImages = signal<string[]>([])
/** Incremented when the chat saves a version of a preset, or puts one into use. The list of models and presets then reloads. */
export const presetRevision = signal(0)

/** Requests in flight. */
const controllers = new Set<AbortController>()
export const isBusy = signal(false)

let nextTurnId = 1

/** Sends a message to all selected models. @throws Error if the settings are invalid. */
export function sendMessage(models: string[], text: string, images: string[]): void {
  const before = turns.peek()
  const turn: Turn = {
    id: nextTurnId++,
    text,
    images,
    replies: Object.fromEntries(models.map((model) => [model, emptyReply])),
  }
  // Before the turn is added, because invalid settings throw.
  const bodies = models.map((model) => requestBody(model, before, turn))
  turns.value = [...before, turn]
  models.forEach((model, index) => void requestReply(turn.id, model, bodies[index]!))
}

/** Requests the reply of a model again. @throws Error if the settings are invalid. */
export function retryReply(turnId: number, model: string): void {
  const allTurns = turns.peek()
  const index = allTurns.findIndex(({ id }) => id === turnId)
  const body = requestBody(model, allTurns.slice(0, index), allTurns[index]!)
  setReply(turnId, model, emptyReply)
  void requestReply(turnId, model, body)
}

const requestBody = (model: string, before: Turn[], turn: Turn) =>
  buildRequest(model, { turns: before, turn, earlierMessages: earlierMessages.peek(), settings: settings.peek() })

export function stop(): void {
  for (const controller of controllers) controller.abort()
}

/** The start of a new chat. */
export type ChatStart = { earlierMessages: ChatRequest['messages']; settings: Settings }

/**
 * Clears the conversation. A new chat has the same settings by default.
 * @returns a function that restores the conversation, and its settings unless they were changed after this call; undefined if the
 * conversation had no turns.
 */
export function clear(start: ChatStart = { earlierMessages: [], settings: settings.peek() }): (() => void) | undefined {
  const before = { turns: turns.peek(), earlierMessages: earlierMessages.peek(), settings: settings.peek() }
  stop()
  turns.value = []
  earlierMessages.value = start.earlierMessages
  settings.value = start.settings
  if (before.turns.length === 0) return undefined
  return () => {
    turns.value = [...before.turns.map(withStoppedReplies), ...turns.peek()]
    earlierMessages.value = before.earlierMessages
    if (settings.peek() === start.settings) settings.value = before.settings
  }
}

/** Marks unfinished replies as stopped. */
const withStoppedReplies = (turn: Turn): Turn => {
  const isInProgress = ({ state }: Reply) => state === 'waiting' || state === 'streaming'
  const replies = Object.entries(turn.replies).map(([model, reply]) => [
    model,
    isInProgress(reply) ? { ...reply, state: 'stopped' } : reply,
  ])
  return { ...turn, replies: Object.fromEntries(replies) }
}

function setReply(turnId: number, model: string, reply: Reply): void {
  turns.value = turns
    .peek()
    .map((turn) => (turn.id === turnId ? { ...turn, replies: { ...turn.replies, [model]: reply } } : turn))
}

async function requestReply(turnId: number, model: string, body: ChatRequest): Promise<void> {
  const controller = new AbortController()
  controllers.add(controller)
  isBusy.value = true
  // Never rejects: a failure is part of the reply.
  await streamReply(body, controller.signal, (reply) => setReply(turnId, model, reply))
  controllers.delete(controller)
  isBusy.value = controllers.size > 0
}
